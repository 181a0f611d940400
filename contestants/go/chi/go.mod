module chi

go 1.24

require (
	dyno/harness v0.0.0
	github.com/go-chi/chi/v5 v5.5.0
)

replace dyno/harness => ../../shared/harness-go
