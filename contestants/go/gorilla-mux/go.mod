module gorilla-mux

go 1.24

require (
	dyno/harness v0.0.0
	github.com/gorilla/mux v1.8.1
)

replace dyno/harness => ../../shared/harness-go
