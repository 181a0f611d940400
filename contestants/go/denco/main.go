// Command denco answers the scenario hello with naoina/denco.
package main

import (
	"io"
	"log"
	"net/http"

	"github.com/naoina/denco"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	mux := denco.NewMux()
	r, err := mux.Build([]denco.Handler{mux.GET("/hello", hello)})
	if err != nil {
		log.Fatal(err)
	}

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, _ *http.Request, _ denco.Params) {
	harness.Work()
	io.WriteString(w, "hello world")
}
