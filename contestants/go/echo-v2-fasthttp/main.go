// Command echo-v2-fasthttp answers the scenario hello with Echo v2 on its engine fasthttp.
package main

import (
	"net/http"

	"github.com/labstack/echo"
	"github.com/labstack/echo/engine/fasthttp"

	"dyno/harness"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	server := fasthttp.New(harness.Addr())
	harness.Serve(func(string) error { return e.Run(server) }, server.ShutdownWithContext) // Echo's own Stop does nothing
}

func hello(c echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}
