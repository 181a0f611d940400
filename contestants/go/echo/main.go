// Command echo answers the scenario hello with Echo v4.
package main

import (
	"errors"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"

	"routes/hosts"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(e, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		e.Logger.Fatal(err)
	}
	<-stopped
}

func hello(c echo.Context) error {
	work()
	return c.String(http.StatusOK, "hello world")
}
