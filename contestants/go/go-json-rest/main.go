// Command go-json-rest answers the scenario hello with Go-Json-Rest.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/ant0ine/go-json-rest/rest"

	"routes/hosts"
)

func main() {
	r, err := rest.MakeRouter(rest.Get("/hello", hello))
	if err != nil {
		log.Fatal(err)
	}
	api := rest.NewApi() // without rest.DefaultDevStack's log line per request
	api.Use(&rest.RecoverMiddleware{})
	api.SetApp(r)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(api.MakeHandler(), router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w rest.ResponseWriter, _ *rest.Request) {
	work()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w.(http.ResponseWriter), "hello world")
}
