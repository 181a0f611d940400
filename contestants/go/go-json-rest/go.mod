module go-json-rest

go 1.24

require (
	github.com/ant0ine/go-json-rest v3.3.2+incompatible
	routes v0.0.0
)

replace routes => ../../shared/routes
