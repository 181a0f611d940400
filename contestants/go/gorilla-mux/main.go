// Command gorilla-mux answers the scenario hello with gorilla/mux.
package main

import (
	"io"
	"net/http"

	"github.com/gorilla/mux"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/hello", hello).Methods(http.MethodGet)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
