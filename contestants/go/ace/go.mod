module ace

go 1.24

require (
	dyno/harness v0.0.0
	github.com/plimble/ace v0.0.0-20180623113504-ba79f505f416
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/gorilla/sessions v1.4.0 // indirect
	github.com/julienschmidt/httprouter v1.3.0 // indirect
	github.com/oxtoacart/bpool v0.0.0-20190530202638-03653db5a59c // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/plimble/sessions v0.0.0-20180326075456-7047d39da9ad // indirect
	github.com/plimble/utils v0.0.0-20150615054616-fe08d46675cd // indirect
	github.com/satori/go.uuid v1.2.1-0.20181028125025-b2ce2384e17b // indirect
	github.com/tinylib/msgp v1.6.5 // indirect
	gopkg.in/check.v1 v1.0.0-20201130134442-10cb98267c6c // indirect
)
