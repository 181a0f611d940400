// Command fiber-v3 answers the scenario hello with Fiber v3.
package main

import (
	"github.com/gofiber/fiber/v3"

	"dyno/harness"
)

func main() {
	app := fiber.New()
	app.Get("/hello", hello)

	harness.Serve(func(addr string) error {
		return app.Listen(addr, fiber.ListenConfig{DisableStartupMessage: true})
	}, app.ShutdownWithContext)
}

func hello(c fiber.Ctx) error {
	harness.Work()
	return c.SendString("hello world")
}
