// Command bxog answers the scenario hello with Bxog.
package main

import (
	"io"
	"net/http"

	"github.com/claygod/Bxog"

	"dyno/harness"
)

func main() {
	r := bxog.New()
	r.Add("/hello", hello)

	harness.Serve(func(addr string) error {
		r.Start(addr)
		return nil
	}, nil) // Bxog reports a stopped server as a failure, even after Shutdown
}

func hello(w http.ResponseWriter, _ *http.Request, _ *bxog.Router) {
	harness.Work()
	io.WriteString(w, "hello world")
}
