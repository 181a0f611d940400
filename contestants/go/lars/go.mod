module lars

go 1.26.0

require (
	dyno/harness v0.0.0
	github.com/go-playground/lars v4.0.1+incompatible
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/go-playground/form v3.1.4+incompatible // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	golang.org/x/net v0.62.0 // indirect
	gopkg.in/go-playground/assert.v1 v1.2.1 // indirect
)
