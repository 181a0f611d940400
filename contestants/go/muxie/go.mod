module muxie

go 1.24

require (
	dyno/harness v0.0.0
	github.com/kataras/muxie v1.1.2
)

replace dyno/harness => ../../shared/harness-go
