// Command chi-reads answers tfb-db, cache-get, file-read and hello with chi.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
	"dyno/reads"
)

func main() {
	r := chi.NewRouter()
	r.Get("/hello", hello)
	r.Get("/db", world(reads.Row))
	r.Get("/cache", world(reads.Cached))
	r.Get("/file", readFile)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}

func world(read func(context.Context) (reads.World, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		row, err := read(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(row)
	}
}

func readFile(w http.ResponseWriter, _ *http.Request) {
	text, err := reads.File()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	w.Write(text)
}
