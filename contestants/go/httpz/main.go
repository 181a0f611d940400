// Command httpz answers the scenario hello with httpz.
package main

import (
	"net/http"

	"github.com/aeilang/httpz"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := httpz.NewServeMux()
	r.Get("/hello", hello)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, _ *http.Request) error {
	harness.Work()
	return httpz.NewHelperRW(w).String(http.StatusOK, "hello world")
}
