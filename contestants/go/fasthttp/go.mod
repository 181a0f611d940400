module fasthttp

go 1.26.0

require (
	dyno/harness v0.0.0
	github.com/valyala/fasthttp v1.77.0
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/molecule-man/go-brrr v1.3.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
)
