module httprouter

go 1.24

require (
	github.com/julienschmidt/httprouter v1.3.0
	routes v0.0.0
)

replace routes => ../../shared/routes
