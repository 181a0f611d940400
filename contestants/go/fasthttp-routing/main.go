// Command fasthttp-routing answers the scenario hello with qiangxue/fasthttp-routing.
package main

import (
	"log"
	"os"

	"github.com/qiangxue/fasthttp-routing"
	"github.com/valyala/fasthttp"
)

func main() {
	r := routing.New()
	r.Get("/hello", hello)

	server := &fasthttp.Server{Handler: r.HandleRequest}
	stopped := stopOnTerm(server.ShutdownWithContext)
	if err := server.ListenAndServe(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *routing.Context) error {
	work()
	_, err := c.WriteString("hello world")
	return err
}
