module rivet

go 1.24

require (
	dyno/harness v0.0.0
	github.com/typepress/rivet v1.1.1-0.20151208095308-d62b4fcaf6b9
)

replace dyno/harness => ../../shared/harness-go
