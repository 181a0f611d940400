package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mikespook/possum"
	"github.com/mikespook/possum/router"
	"github.com/mikespook/possum/view"
)

// TestPublished shows why go-web-framework-benchmark's Possum program cannot be a contestant: the
// handler writes through Response, and Possum writes once more. net/http logs a second header for each
// request, and a remainder of the answer to an unknown path follows the next answer.
func TestPublished(t *testing.T) {
	mux := possum.NewServerMux()
	mux.HandleFunc(router.Simple("/hello"), func(ctx *possum.Context) error {
		_, err := ctx.Response.Write([]byte("hello world"))
		return err
	}, view.Simple("text/html", "utf-8"))
	var logged bytes.Buffer
	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = log.New(&logged, "", 0)
	server.Start()
	get := func(path string) string {
		t.Helper()
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	const requests = 10
	for range requests {
		if got := get("/hello"); got != "hello world" {
			t.Errorf("/hello: %q", got)
		}
	}
	wrong := 0
	for range requests { // Possum's context pool may drop one
		get("/nowhere")
		if got := get("/hello"); got == "hello worldNot Found" {
			wrong++
		}
	}
	server.Close()
	if n := strings.Count(logged.String(), "superfluous response.WriteHeader"); n != 2*requests {
		t.Errorf("%d of %d answers of /hello are logged:\n%s", n, 2*requests, logged.String())
	}
	if wrong == 0 {
		t.Error("after an unknown path every answer of /hello is right")
	}
}
