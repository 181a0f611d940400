// Command net-http-arena answers scenarios of HttpArena with the standard library alone.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"log"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"dyno/harness"
	"dyno/harness/nethttp"
	"items"
	"templates"
)

type item struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	Price    int      `json:"price"`
	Quantity int      `json:"quantity"`
	Active   bool     `json:"active"`
	Tags     []string `json:"tags"`
	Rating   struct {
		Score int `json:"score"`
		Count int `json:"count"`
	} `json:"rating"`
}

var (
	catalog []item
	writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
)

func main() {
	if err := json.Unmarshal(items.JSON, &catalog); err != nil {
		log.Fatal(err)
	}
	public, err := fs.Sub(templates.Files, "wwwroot")
	if err != nil {
		log.Fatal(err)
	}
	files := http.StripPrefix("/public/", http.FileServerFS(public))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, _ *http.Request) {
		harness.Work()
		io.WriteString(w, "hello world")
	})
	mux.HandleFunc("GET /public/", func(w http.ResponseWriter, r *http.Request) {
		harness.Work()
		files.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /upload", upload)
	mux.HandleFunc("GET /items", list)
	nethttp.Serve(mux)
}

// upload answers with the hash of the body.
func upload(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	sum := sha256.New()
	if _, err := io.Copy(sum, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.WriteString(w, hex.EncodeToString(sum.Sum(nil)))
}

// list answers with the items, compressed if the client accepts gzip.
func list(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	text, err := json.Marshal(catalog)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var b bytes.Buffer
		z := writers.Get().(*gzip.Writer)
		z.Reset(&b)
		z.Write(text)
		z.Close()
		writers.Put(z)
		text = b.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Write(text)
}
