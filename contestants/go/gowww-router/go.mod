module gowww-router

go 1.24

require (
	dyno/harness v0.0.0
	github.com/gowww/router v1.0.0
)

replace dyno/harness => ../../shared/harness-go
