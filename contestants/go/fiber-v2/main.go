// Command fiber-v2 answers the scenario hello with Fiber v2.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v2"
)

func main() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/hello", hello)
	routed(app)

	stopped := stopOnTerm(app.ShutdownWithContext)
	if err := app.Listen(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *fiber.Ctx) error {
	work()
	return c.SendString("hello world")
}
