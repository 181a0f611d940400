module pat

go 1.24

require (
	github.com/bmizerany/pat v0.0.0-20210406213842-e4b6760bdd6f
	routes v0.0.0
)

replace routes => ../../shared/routes
