// Command gearbox answers the scenario hello with Gearbox.
package main

import (
	"context"
	"log"
	"os"

	"github.com/gogearbox/gearbox"
)

func main() {
	gb := gearbox.New(&gearbox.Settings{DisableStartupMessage: true})
	gb.Get("/hello", hello)

	stopped := stopOnTerm(func(context.Context) error { return gb.Stop() })
	if err := gb.Start(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx gearbox.Context) {
	work()
	ctx.SendString("hello world")
}
