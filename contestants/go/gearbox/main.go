// Command gearbox answers the scenario hello with Gearbox.
package main

import (
	"context"

	"github.com/gogearbox/gearbox"

	"dyno/harness"
)

func main() {
	gb := gearbox.New(&gearbox.Settings{DisableStartupMessage: true})
	gb.Get("/hello", hello)

	harness.Serve(gb.Start, func(context.Context) error { return gb.Stop() })
}

func hello(ctx gearbox.Context) {
	harness.Work()
	ctx.SendString("hello world")
}
