// Command negroni answers the scenario hello with Negroni around the standard library's ServeMux.
package main

import (
	"io"
	"net/http"

	"github.com/urfave/negroni/v3"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	n := negroni.New(negroni.NewRecovery()) // without negroni.Classic's log line per request
	n.UseHandler(mux)

	nethttp.Serve(n)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
