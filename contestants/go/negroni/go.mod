module negroni

go 1.24

require (
	dyno/harness v0.0.0
	github.com/urfave/negroni/v3 v3.1.2
)

replace dyno/harness => ../../shared/harness-go
