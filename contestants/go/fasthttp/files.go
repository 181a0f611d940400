package main

import (
	"os"

	"github.com/valyala/fasthttp"

	"dyno/harness"
)

// readFile reads the file and answers with its content.
func readFile(ctx *fasthttp.RequestCtx) {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetBody(text)
}

// appendFile appends the request body to a file.
func appendFile(ctx *fasthttp.RequestCtx) {
	harness.Work()
	if _, err := harness.Log().Write(ctx.PostBody()); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
	}
}
