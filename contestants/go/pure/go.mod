module pure

go 1.24

require (
	dyno/harness v0.0.0
	github.com/go-playground/pure/v5 v5.3.0
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/go-playground/assert/v2 v2.2.0 // indirect
	github.com/go-playground/form/v4 v4.2.0 // indirect
	github.com/go-playground/pkg/v5 v5.21.1 // indirect
)
