// Command gin answers the scenario hello with Gin.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"

	"routes/hosts"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New() // without gin.Default's log line per request
	r.Use(gin.Recovery())
	r.GET("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *gin.Context) {
	work()
	c.String(http.StatusOK, "hello world")
}
