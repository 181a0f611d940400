module fasthttp-easyjson

go 1.25.0

tool github.com/mailru/easyjson/easyjson

require (
	github.com/fasthttp/router v1.5.4
	github.com/mailru/easyjson v0.9.2
	github.com/valyala/fasthttp v1.74.0
)
