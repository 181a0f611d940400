// Command negroni answers the scenario hello with Negroni around the standard library's ServeMux.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/urfave/negroni/v3"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	n := negroni.New(negroni.NewRecovery()) // without negroni.Classic's log line per request
	n.UseHandler(mux)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: n}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, r *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
