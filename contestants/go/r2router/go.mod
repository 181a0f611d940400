module r2router

go 1.24

require (
	dyno/harness v0.0.0
	github.com/vanng822/r2router v0.0.0-20150523112421-1023140a4f30
)

replace dyno/harness => ../../shared/harness-go

require github.com/stretchr/testify v1.12.1 // indirect
