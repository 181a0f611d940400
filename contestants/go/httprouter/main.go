// Command httprouter answers the scenarios hello and index with julienschmidt/httprouter on net/http.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/julienschmidt/httprouter"

	"routes/hosts"
)

func main() {
	r := httprouter.New()
	r.GET("/hello", hello)
	r.GET("/index", index)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	work()
	io.WriteString(w, "hello world")
}

func index(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	work()
	io.WriteString(w, "hello world !")
}
