package main

import (
	"os"

	"github.com/valyala/fasthttp"

	"dyno/harness"
)

// readFile answers with a file that it reads anew.
func readFile(ctx *fasthttp.RequestCtx) {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetBody(text)
}

// appendFile appends what it is sent to a file.
func appendFile(ctx *fasthttp.RequestCtx) {
	harness.Work()
	if _, err := harness.Log().Write(ctx.PostBody()); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
	}
}
