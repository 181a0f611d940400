module go-relay-article

go 1.24

tool github.com/mailru/easyjson/easyjson

require (
	dyno/harness v0.0.0
	github.com/mailru/easyjson v0.9.2
)

replace dyno/harness => ../../shared/harness-go

require github.com/josharian/intern v1.0.0 // indirect
