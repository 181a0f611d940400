// Command echo-v2-standard answers the scenario hello with Echo v2 on its engine standard,
// net/http.
package main

import (
	"net/http"

	"github.com/labstack/echo"
	"github.com/labstack/echo/engine/standard"

	"dyno/harness"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	server := standard.New(harness.Addr())
	harness.Serve(func(string) error { return e.Run(server) }, server.Shutdown)
}

func hello(c echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}
