// Command fasthttp answers the scenarios values, hello and index with valyala/fasthttp alone. The
// handler switches on the path, as in fasthttp's README.
package main

import (
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	server := &fasthttp.Server{Handler: handle}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

func handle(ctx *fasthttp.RequestCtx) {
	switch path := string(ctx.Path()); path {
	case "/hello":
		hello(ctx)
	case "/index":
		index(ctx)
	case "/file":
		readFile(ctx)
	case "/append":
		appendFile(ctx)
	default:
		if id, ok := strings.CutPrefix(path, "/api/values/"); ok {
			getValue(ctx, id)
			return
		}
		ctx.NotFound()
	}
}

func getValue(ctx *fasthttp.RequestCtx, id string) {
	if _, err := strconv.Atoi(id); err != nil {
		ctx.NotFound()
		return
	}
	harness.Work()
	ctx.WriteString("value")
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}

func index(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world !")
}
