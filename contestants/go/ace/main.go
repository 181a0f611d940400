// Command ace answers the scenario hello with Ace.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/plimble/ace"
)

func main() {
	r := ace.New() // without ace.Default's log line per request
	r.GET("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *ace.C) {
	work()
	c.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8") // c.String says text/html
	io.WriteString(c.Writer, "hello world")
}
