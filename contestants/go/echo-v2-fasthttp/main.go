// Command echo-v2-fasthttp answers the scenario hello with Echo v2 on its engine fasthttp.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/labstack/echo"
	"github.com/labstack/echo/engine/fasthttp"
)

func main() {
	e := echo.New()
	e.GET("/hello", hello)

	server := fasthttp.New(os.Getenv("DYNO_ADDR"))
	stopped := stopOnTerm(server.ShutdownWithContext) // of fasthttp; Echo's own Stop does nothing here
	if err := e.Run(server); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c echo.Context) error {
	work()
	return c.String(http.StatusOK, "hello world")
}
