// Command echo-v1 answers the scenario hello with Echo v1.
package main

import (
	"net/http"

	"github.com/labstack/echo"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	e := echo.New()
	e.Get("/hello", hello)

	nethttp.Serve(e)
}

func hello(c *echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}
