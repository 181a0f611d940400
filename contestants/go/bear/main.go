// Command bear answers the scenario hello with ursiform/bear.
package main

import (
	"io"
	"log"
	"net/http"

	"github.com/ursiform/bear"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := bear.New()
	if err := r.On("GET", "/hello", hello); err != nil {
		log.Fatal(err)
	}

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
