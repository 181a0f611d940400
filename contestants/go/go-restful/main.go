// Command go-restful answers the scenario hello with go-restful.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/emicklei/go-restful/v3"
)

func main() {
	ws := new(restful.WebService)
	ws.Route(ws.GET("/hello").To(hello))
	r := restful.NewContainer()
	r.Add(ws)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(_ *restful.Request, w *restful.Response) {
	work()
	io.WriteString(w, "hello world")
}
