module goji-v2

go 1.24

require (
	goji.io v2.0.2+incompatible
	routes v0.0.0
)

replace routes => ../../shared/routes
