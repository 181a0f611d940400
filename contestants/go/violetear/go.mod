module violetear

go 1.24

require (
	dyno/harness v0.0.0
	github.com/nbari/violetear v0.0.0-20210524103009-ce83b52538c9
)

replace dyno/harness => ../../shared/harness-go
