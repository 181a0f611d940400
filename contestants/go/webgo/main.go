// Command webgo answers the scenario hello with WebGo.
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/bnkamalesh/webgo/v7"
)

func main() {
	webgo.GlobalLoggerConfig(os.Stderr, os.Stderr, webgo.LogCfgDisableDebug, webgo.LogCfgDisableInfo)
	host, port, _ := net.SplitHostPort(os.Getenv("DYNO_ADDR"))
	r := webgo.NewRouter(&webgo.Config{Host: host, Port: port, ShutdownTimeout: time.Second / 2}, &webgo.Route{
		Name:     "hello",
		Method:   http.MethodGet,
		Pattern:  "/hello",
		Handlers: []http.HandlerFunc{hello},
	})

	stopped := stopOnTerm(func(context.Context) error { return r.Shutdown() })
	r.Start()
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request) {
	work()
	webgo.Send(w, "text/plain; charset=utf-8", "hello world", http.StatusOK)
}
