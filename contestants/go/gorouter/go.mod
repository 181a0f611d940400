module gorouter

go 1.24

require (
	dyno/harness v0.0.0
	github.com/vardius/gorouter/v4 v4.5.1
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/andybalholm/brotli v1.0.0 // indirect
	github.com/klauspost/compress v1.10.11 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasthttp v1.16.0 // indirect
)
