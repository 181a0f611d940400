module atreugo

go 1.24

require (
	dyno/harness v0.0.0
	github.com/savsgio/atreugo/v11 v11.12.0
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/andybalholm/brotli v1.0.5 // indirect
	github.com/fasthttp/router v1.4.22 // indirect
	github.com/klauspost/compress v1.17.0 // indirect
	github.com/savsgio/gotils v0.0.0-20230208104028-c358bd845dee // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasthttp v1.51.0 // indirect
	github.com/valyala/tcplisten v1.0.0 // indirect
	golang.org/x/sys v0.13.0 // indirect
)
