// Command goframe-published answers the scenario hello with GoFrame as the published program does:
// GoFrame's server calls a net/http handler, which switches on the path in place of GoFrame's router.
package main

import (
	"context"
	"net/http"
	"runtime"

	"github.com/gogf/gf/v2/frame/g"

	"dyno/harness"
)

func main() {
	s := g.Server()
	s.SetDumpRouterMap(false)
	s.SetHandler(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hello":
			hello(w)
		default:
			http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		}
	})

	harness.Serve(func(addr string) error {
		s.SetAddr(addr)
		s.Run()
		return nil
	}, func(context.Context) error { return s.Shutdown() })
}

func hello(w http.ResponseWriter) {
	harness.Work()
	runtime.Gosched()                                           // the published program does so only if it does not wait
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // the published program sends text/html
	w.Write([]byte("hello world"))
}
