module go-relay

go 1.24

tool github.com/mailru/easyjson/easyjson

require github.com/mailru/easyjson v0.9.2

require github.com/josharian/intern v1.0.0 // indirect
