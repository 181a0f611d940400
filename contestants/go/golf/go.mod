module golf

go 1.24

require (
	dyno/harness v0.0.0
	github.com/dinever/golf v0.3.0
)

replace dyno/harness => ../../shared/harness-go
