// Command net-http answers the scenarios values and hello with the standard library alone.
package main

import (
	"io"
	"net/http"
	"strconv"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/values/{id}", getValue)
	mux.HandleFunc("GET /hello", hello)
	mux.HandleFunc("GET /file", readFile)
	mux.HandleFunc("POST /append", appendFile)

	nethttp.Serve(nethttp.WithRoutes(mux, router))
}

func getValue(w http.ResponseWriter, r *http.Request) {
	if _, err := strconv.Atoi(r.PathValue("id")); err != nil {
		http.NotFound(w, r)
		return
	}
	harness.Work()
	io.WriteString(w, "value")
}

func hello(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
