module fastrouter

go 1.24

require (
	dyno/harness v0.0.0
	github.com/razonyang/fastrouter v0.1.0
)

replace dyno/harness => ../../shared/harness-go
