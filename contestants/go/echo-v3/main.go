// Command echo-v3 answers the scenario hello with Echo v3.
package main

import (
	"net/http"

	"github.com/labstack/echo"

	"dyno/harness"
)

func main() {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.GET("/hello", hello)

	harness.Serve(e.Start, e.Shutdown, harness.TLS(e.StartTLS, nil))
}

func hello(c echo.Context) error {
	harness.Work()
	return c.String(http.StatusOK, "hello world")
}
