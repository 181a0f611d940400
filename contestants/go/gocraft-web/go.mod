module gocraft-web

go 1.24

require (
	dyno/harness v0.0.0
	github.com/gocraft/web v0.0.0-20190207150652-9707327fb69b
)

replace dyno/harness => ../../shared/harness-go

require github.com/stretchr/testify v1.12.1 // indirect
