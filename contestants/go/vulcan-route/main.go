// Command vulcan-route answers the scenario hello with mailgun/route, the router of vulcand.
package main

import (
	"io"
	"log"
	"net/http"

	"github.com/mailgun/route"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := route.NewMux()
	if err := r.HandleFunc(`Method("GET") && Path("/hello")`, hello); err != nil {
		log.Fatal(err)
	}

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
