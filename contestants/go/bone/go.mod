module bone

go 1.24

require (
	dyno/harness v0.0.0
	github.com/go-zoo/bone v1.3.0
)

replace dyno/harness => ../../shared/harness-go
