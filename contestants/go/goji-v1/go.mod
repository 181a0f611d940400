module goji-v1

go 1.24

require (
	dyno/harness v0.0.0
	github.com/zenazn/goji v0.9.0
)

replace dyno/harness => ../../shared/harness-go
