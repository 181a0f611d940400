module goji-v1

go 1.24

require (
	github.com/zenazn/goji v0.9.0
	routes v0.0.0
)

replace routes => ../../shared/routes
