// Command kocha-urlrouter answers the scenario hello with kocha-urlrouter and its double array.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	urlrouter "github.com/naoina/kocha-urlrouter"
	_ "github.com/naoina/kocha-urlrouter/doublearray"

	"routes/hosts"
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

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, r *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
