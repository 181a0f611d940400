module macaron

go 1.24

require (
	dyno/harness v0.0.0
	gopkg.in/macaron.v1 v1.5.0
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/go-macaron/inject v0.0.0-20160627170012-d8a0b8677191 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/unknwon/com v0.0.0-20190804042917-757f69c95f3e // indirect
	golang.org/x/crypto v0.1.0 // indirect
	gopkg.in/ini.v1 v1.66.6 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
