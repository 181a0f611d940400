// Command echo answers the scenario hello with Echo v5.
package main

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(e, router))
}

func hello(c *echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}
