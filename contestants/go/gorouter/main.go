// Command gorouter answers the scenario hello with vardius/gorouter on net/http.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/vardius/gorouter/v4"
)

func main() {
	r := gorouter.New()
	r.GET("/hello", http.HandlerFunc(hello))

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, r *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
