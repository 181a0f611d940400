// Command httprouter-reads answers tfb-db, cache-get, file-read and hello with
// julienschmidt/httprouter on net/http.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"dyno/harness"
	"dyno/harness/nethttp"
	"dyno/reads"
)

func main() {
	r := httprouter.New()
	r.GET("/hello", hello)
	r.GET("/db", world(reads.Row))
	r.GET("/cache", world(reads.Cached))
	r.GET("/file", readFile)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	harness.Work()
	io.WriteString(w, "hello world")
}

func world(read func(context.Context) (reads.World, error)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		row, err := read(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(row)
	}
}

func readFile(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	text, err := reads.File()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	w.Write(text)
}
