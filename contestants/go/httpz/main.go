// Command httpz answers the scenario hello with httpz.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/aeilang/httpz"
)

func main() {
	r := httpz.NewServeMux()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request) error {
	work()
	return httpz.NewHelperRW(w).String(http.StatusOK, "hello world")
}
