module pat

go 1.24

require (
	dyno/harness v0.0.0
	github.com/bmizerany/pat v0.0.0-20210406213842-e4b6760bdd6f
)

replace dyno/harness => ../../shared/harness-go
