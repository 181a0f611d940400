// Command hertz answers the scenario hello with Hertz on its own transport, netpoll.
package main

import (
	"context"
	"log"
	"os"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/cloudwego/hertz/pkg/protocol/consts"
)

func main() {
	hlog.SetLevel(hlog.LevelWarn)
	h := server.Default(server.WithHostPorts(os.Getenv("DYNO_ADDR")))
	h.GET("/hello", hello)

	stopped := stopOnTerm(h.Shutdown)
	if err := h.Run(); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(_ context.Context, c *app.RequestContext) {
	work()
	c.String(consts.StatusOK, "hello world")
}
