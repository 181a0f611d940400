module bone

go 1.24

require (
	github.com/go-zoo/bone v1.3.0
	routes v0.0.0
)

replace routes => ../../shared/routes
