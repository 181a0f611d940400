// Command net-http-pgx answers TechEmpower's scenarios, values and hello with net/http and pgx.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"

	"dyno/harness/nethttp"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/values/{id}", getValue)
	mux.HandleFunc("GET /hello", text("hello world"))
	mux.HandleFunc("GET /plaintext", text("Hello, World!"))
	mux.HandleFunc("GET /json", answer(getMessage))
	if url := os.Getenv("DATABASE_URL"); url != "" {
		s, err := newStore(url)
		if err != nil {
			log.Fatal(err)
		}
		mux.HandleFunc("GET /db", answer(s.getWorld))
		mux.HandleFunc("GET /queries", answer(s.getWorlds))
		mux.HandleFunc("GET /updates", answer(s.updateWorlds))
		mux.HandleFunc("GET /cached-queries", answer(s.getCachedWorlds))
		mux.HandleFunc("GET /fortunes", s.getFortunes)
	}
	nethttp.Serve(mux)
}

func getValue(w http.ResponseWriter, r *http.Request) {
	if _, err := strconv.Atoi(r.PathValue("id")); err != nil {
		http.NotFound(w, r)
		return
	}
	io.WriteString(w, "value")
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

type message struct {
	Message string `json:"message"`
}

func getMessage(*http.Request) (message, error) { return message{"Hello, World!"}, nil }

// answer returns a handler that answers with the value that get returns, in JSON.
func answer[T any](get func(r *http.Request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := get(r)
		if err != nil {
			fail(w, err)
			return
		}
		body, err := json.Marshal(v)
		if err != nil {
			fail(w, err)
			return
		}
		send(w, "application/json", body)
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(w, "internal server error", http.StatusInternalServerError)
}

func send(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body))) // otherwise net/http sends chunks above 2 KB
	w.Write(body)
}
