// Command fiber-v2-published answers the scenario hello with Fiber v2 as the published program does,
// without its prefork: no Date, no Content-Type, and a handler that yields once.
package main

import (
	"runtime"

	"github.com/gofiber/fiber/v2"

	"dyno/harness"
)

func main() {
	app := fiber.New(fiber.Config{
		DisableStartupMessage:     true,
		CaseSensitive:             true,
		StrictRouting:             true,
		DisableDefaultDate:        true,
		DisableHeaderNormalizing:  true,
		DisableDefaultContentType: true,
	})
	app.Get("/hello", hello)

	harness.Serve(app.Listen, app.ShutdownWithContext, harness.TLS(app.ListenTLS, nil))
}

func hello(c *fiber.Ctx) error {
	harness.Work()
	runtime.Gosched() // the published program does so only if it does not wait
	return c.SendString("hello world")
}
