module baa

go 1.24

require (
	dyno/harness v0.0.0
	gopkg.in/baa.v1 v1.2.32
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/smartystreets/goconvey v1.8.1 // indirect
)
