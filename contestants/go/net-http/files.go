package main

import (
	"io"
	"net/http"
	"os"
	"strconv"

	"dyno/harness"
)

// readFile reads the file and answers with its content.
func readFile(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	w.Write(text)
}

// appendFile appends the request body to a file.
func appendFile(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	text, err := io.ReadAll(r.Body)
	if err == nil {
		_, err = harness.Log().Write(text)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
