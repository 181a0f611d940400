// Command tigertonic answers the scenario hello with Tiger Tonic's TrieServeMux.
package main

import (
	"io"
	"net/http"

	"github.com/rcrowley/go-tigertonic"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := tigertonic.NewTrieServeMux()
	r.HandleFunc("GET", "/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
