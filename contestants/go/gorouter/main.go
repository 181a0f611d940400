// Command gorouter answers the scenario hello with vardius/gorouter on net/http.
package main

import (
	"io"
	"net/http"

	"github.com/vardius/gorouter/v4"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := gorouter.New()
	r.GET("/hello", http.HandlerFunc(hello))

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
