module httptreemux

go 1.24

require (
	github.com/dimfeld/httptreemux/v5 v5.5.0
	routes v0.0.0
)

replace routes => ../../shared/routes
