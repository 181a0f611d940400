// Command lion answers the scenario hello with Lion.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"gopkg.in/celrenheit/lion.v1"
)

func main() {
	r := lion.New()
	r.GetFunc("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(_ context.Context, w http.ResponseWriter, _ *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
