module gocraft-web

go 1.24

require (
	github.com/gocraft/web v0.0.0-20190207150652-9707327fb69b
	routes v0.0.0
)

replace routes => ../../shared/routes

require github.com/stretchr/testify v1.12.1 // indirect
