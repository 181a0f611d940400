module records

go 1.25.0

require (
	dyno/harness v0.0.0
	github.com/valyala/fasthttp v1.74.0
)

replace dyno/harness => ../../contestants/shared/harness-go

require (
	github.com/klauspost/compress v1.20.0 // indirect
	github.com/molecule-man/go-brrr v1.0.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
)
