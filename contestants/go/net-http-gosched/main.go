// Command net-http-gosched answers the scenario hello with the standard library, by a handler that
// yields once, as the published program's handlers do if they do not wait.
package main

import (
	"io"
	"net/http"
	"runtime"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", hello)

	nethttp.Serve(mux)
}

func hello(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	runtime.Gosched()
	io.WriteString(w, "hello world")
}
