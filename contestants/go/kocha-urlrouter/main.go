// Command kocha-urlrouter answers the scenario hello with kocha-urlrouter and its double array.
package main

import (
	"io"
	"log"
	"net/http"

	urlrouter "github.com/naoina/kocha-urlrouter"
	_ "github.com/naoina/kocha-urlrouter/doublearray"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	get := urlrouter.NewURLRouter("doublearray")
	if err := get.Build([]urlrouter.Record{urlrouter.NewRecord("/hello", http.HandlerFunc(hello))}); err != nil {
		log.Fatal(err)
	}
	r := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, _ := get.Lookup(r.URL.Path)
		if found == nil || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		found.(http.Handler).ServeHTTP(w, r)
	})

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
