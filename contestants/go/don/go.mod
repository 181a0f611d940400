module don

go 1.24

require (
	dyno/harness v0.0.0
	github.com/abemedia/go-don v0.2.1
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/abemedia/fasthttpfs v0.0.0-20220405193636-731805b0c723 // indirect
	github.com/abemedia/httprouter v0.0.0-20230505023925-232e0e5a4b1b // indirect
	github.com/andybalholm/brotli v1.0.5 // indirect
	github.com/goccy/go-json v0.10.2 // indirect
	github.com/klauspost/compress v1.16.5 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasthttp v1.47.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
