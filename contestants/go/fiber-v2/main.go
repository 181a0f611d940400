// Command fiber-v2 answers the scenario hello with Fiber v2.
package main

import (
	"github.com/gofiber/fiber/v2"

	"dyno/harness"
)

func main() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/hello", hello)
	app.Get("/file", readFile)
	app.Post("/append", appendFile)
	routed(app)

	harness.Serve(app.Listen, app.ShutdownWithContext, harness.TLS(app.ListenTLS, nil))
}

func hello(c *fiber.Ctx) error {
	harness.Work()
	return c.SendString("hello world")
}
