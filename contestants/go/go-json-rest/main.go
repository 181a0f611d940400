// Command go-json-rest answers the scenario hello with Go-Json-Rest.
package main

import (
	"io"
	"log"
	"net/http"

	"github.com/ant0ine/go-json-rest/rest"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r, err := rest.MakeRouter(rest.Get("/hello", hello))
	if err != nil {
		log.Fatal(err)
	}
	api := rest.NewApi() // without rest.DefaultDevStack's log line per request
	api.Use(&rest.RecoverMiddleware{})
	api.SetApp(r)

	nethttp.Serve(nethttp.WithRoutes(api.MakeHandler(), router))
}

func hello(w rest.ResponseWriter, _ *rest.Request) {
	harness.Work()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w.(http.ResponseWriter), "hello world")
}
