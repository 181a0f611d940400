// Command bxog answers the scenario hello with Bxog.
package main

import (
	"io"
	"net/http"
	"os"

	"github.com/claygod/Bxog"
)

func main() {
	r := bxog.New()
	r.Add("/hello", hello)

	stopOnTerm(exit) // Bxog takes the end of its server for a failure, also after Shutdown
	r.Start(os.Getenv("DYNO_ADDR"))
}

func hello(w http.ResponseWriter, _ *http.Request, _ *bxog.Router) {
	work()
	io.WriteString(w, "hello world")
}
