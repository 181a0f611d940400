module denco

go 1.24

require (
	github.com/naoina/denco v0.0.0-20180930074809-8475105a6b4c
	routes v0.0.0
)

replace routes => ../../shared/routes
