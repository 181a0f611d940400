module lion

go 1.26.0

require (
	dyno/harness v0.0.0
	gopkg.in/celrenheit/lion.v1 v1.0.0-20161101201550-7c6ce5d22d64
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/celrenheit/htest v0.0.0-20170621160705-e34d50431e7f // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
