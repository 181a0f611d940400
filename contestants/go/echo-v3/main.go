// Command echo-v3 answers the scenario hello with Echo v3.
package main

import (
	"net/http"
	"os"

	"github.com/labstack/echo"
)

func main() {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.GET("/hello", hello)

	stopped := stopOnTerm(e.Shutdown)
	if err := e.Start(os.Getenv("DYNO_ADDR")); err != http.ErrServerClosed {
		e.Logger.Fatal(err)
	}
	<-stopped
}

func hello(c echo.Context) error {
	work()
	return c.String(http.StatusOK, "hello world")
}
