package main

import (
	"os"
	"strconv"

	"github.com/kataras/iris/v12"

	"dyno/harness"
)

// readFile reads the file and answers with its content.
func readFile(ctx iris.Context) {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		ctx.StopWithError(iris.StatusInternalServerError, err)
		return
	}
	ctx.ContentType("text/plain")
	ctx.Header("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	ctx.Write(text)
}

// appendFile appends the request body to a file.
func appendFile(ctx iris.Context) {
	harness.Work()
	text, err := ctx.GetBody()
	if err == nil {
		_, err = harness.Log().Write(text)
	}
	if err != nil {
		ctx.StopWithError(iris.StatusInternalServerError, err)
	}
}
