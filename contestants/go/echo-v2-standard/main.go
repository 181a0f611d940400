// Command echo-v2-standard answers the scenario hello with Echo v2 on its engine standard, net/http.
package main

import (
	"net/http"
	"os"

	"github.com/labstack/echo"
	"github.com/labstack/echo/engine/standard"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	server := standard.New(os.Getenv("DYNO_ADDR"))
	stopped := stopOnTerm(server.Shutdown)
	if err := e.Run(server); err != http.ErrServerClosed {
		e.Logger().Fatal(err)
	}
	<-stopped
}

func hello(c echo.Context) error {
	work()
	return c.String(http.StatusOK, "hello world")
}
