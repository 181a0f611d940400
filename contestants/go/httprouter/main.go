// Command httprouter answers the scenarios hello and index with julienschmidt/httprouter on
// net/http.
package main

import (
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := httprouter.New()
	r.GET("/hello", hello)
	r.GET("/index", index)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	harness.Work()
	io.WriteString(w, "hello world")
}

func index(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	harness.Work()
	io.WriteString(w, "hello world !")
}
