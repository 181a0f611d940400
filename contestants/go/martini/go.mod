module martini

go 1.24

require (
	dyno/harness v0.0.0
	github.com/go-martini/martini v0.0.0-20170121215854-22fa46961aab
)

replace dyno/harness => ../../shared/harness-go

require github.com/codegangsta/inject v0.0.0-20150114235600-33e0aa1cb7c0 // indirect
