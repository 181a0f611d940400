module indigo

go 1.24

require (
	dyno/harness v0.0.0
	github.com/indigo-web/indigo v0.17.3
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/flrdv/uf v1.0.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/crypto v0.41.0 // indirect
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)
