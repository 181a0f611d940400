module go-json-rest

go 1.24

require (
	dyno/harness v0.0.0
	github.com/ant0ine/go-json-rest v3.3.2+incompatible
)

replace dyno/harness => ../../shared/harness-go
