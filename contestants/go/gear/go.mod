module gear

go 1.24

require (
	dyno/harness v0.0.0
	github.com/teambition/gear v1.27.3
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/go-http-utils/cookie v1.3.1 // indirect
	github.com/go-http-utils/negotiator v1.0.0 // indirect
	github.com/teambition/trie-mux v1.5.2 // indirect
	golang.org/x/net v0.14.0 // indirect
	golang.org/x/text v0.12.0 // indirect
)
