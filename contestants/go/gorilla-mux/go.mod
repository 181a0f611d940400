module gorilla-mux

go 1.24

require (
	github.com/gorilla/mux v1.8.1
	routes v0.0.0
)

replace routes => ../../shared/routes
