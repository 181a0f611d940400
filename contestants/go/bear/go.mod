module bear

go 1.24

require (
	dyno/harness v0.0.0
	github.com/ursiform/bear v1.0.1
)

replace dyno/harness => ../../shared/harness-go
