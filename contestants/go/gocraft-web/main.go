// Command gocraft-web answers the scenario hello with gocraft/web.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/gocraft/web"

	"routes/hosts"
)

func main() {
	r := web.New(Context{})
	r.Get("/hello", (*Context).Hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

// Context is what gocraft/web makes for each request.
type Context struct{}

func (*Context) Hello(w web.ResponseWriter, _ *web.Request) {
	work()
	io.WriteString(w, "hello world")
}
