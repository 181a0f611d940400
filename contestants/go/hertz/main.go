// Command hertz answers the scenario hello with Hertz on its own transport, netpoll.
package main

import (
	"context"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/cloudwego/hertz/pkg/protocol/consts"

	"dyno/harness"
)

func main() {
	hlog.SetLevel(hlog.LevelWarn)
	h := server.Default(server.WithHostPorts(harness.Addr()))
	h.GET("/hello", hello)

	harness.Serve(func(string) error { return h.Run() }, h.Shutdown)
}

func hello(_ context.Context, c *app.RequestContext) {
	harness.Work()
	c.String(consts.StatusOK, "hello world")
}
