// Command webgo answers the scenario hello with WebGo.
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/bnkamalesh/webgo/v7"

	"dyno/harness"
)

func main() {
	webgo.GlobalLoggerConfig(os.Stderr, os.Stderr, webgo.LogCfgDisableDebug, webgo.LogCfgDisableInfo)
	host, port, _ := net.SplitHostPort(harness.Addr())
	r := webgo.NewRouter(&webgo.Config{Host: host, Port: port, ShutdownTimeout: time.Second / 2}, &webgo.Route{
		Name:     "hello",
		Method:   http.MethodGet,
		Pattern:  "/hello",
		Handlers: []http.HandlerFunc{hello},
	})

	harness.Serve(func(string) error {
		r.Start()
		return nil
	}, func(context.Context) error { return r.Shutdown() })
}

func hello(w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	webgo.Send(w, "text/plain; charset=utf-8", "hello world", http.StatusOK)
}
