// Command echo-reads answers tfb-db, cache-get, file-read and hello with Echo v5.
package main

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
	"dyno/reads"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)
	e.GET("/db", world(reads.Row))
	e.GET("/cache", world(reads.Cached))
	e.GET("/file", readFile)

	nethttp.Serve(e)
}

func hello(c *echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}

func world(read func(context.Context) (reads.World, error)) echo.HandlerFunc {
	return func(c *echo.Context) error {
		row, err := read(c.Request().Context())
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, row)
	}
}

func readFile(c *echo.Context) error {
	text, err := reads.File()
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", text)
}
