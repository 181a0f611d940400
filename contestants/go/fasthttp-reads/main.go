// Command fasthttp-reads answers tfb-db, cache-get, file-read and hello with valyala/fasthttp.
package main

import (
	"context"
	"encoding/json"

	"github.com/valyala/fasthttp"

	"dyno/harness"
	"dyno/reads"
)

func main() {
	server := &fasthttp.Server{Handler: handle}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext)
}

func handle(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case "/hello":
		hello(ctx)
	case "/db":
		world(ctx, reads.Row)
	case "/cache":
		world(ctx, reads.Cached)
	case "/file":
		readFile(ctx)
	default:
		ctx.NotFound()
	}
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}

func world(ctx *fasthttp.RequestCtx, read func(context.Context) (reads.World, error)) {
	row, err := read(ctx)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	json.NewEncoder(ctx).Encode(row)
}

func readFile(ctx *fasthttp.RequestCtx) {
	text, err := reads.File()
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetBody(text)
}
