// Command net-http-reads answers tfb-db, cache-get, file-read and hello with net/http.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"dyno/harness"
	"dyno/harness/nethttp"
	"dyno/reads"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", hello)
	mux.HandleFunc("GET /db", world(reads.Row))
	mux.HandleFunc("GET /cache", world(reads.Cached))
	mux.HandleFunc("GET /file", readFile)

	nethttp.Serve(mux)
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
