// Command fiber-v3 answers the scenario hello with Fiber v3.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v3"
)

func main() {
	app := fiber.New()
	app.Get("/hello", hello)

	stopped := stopOnTerm(app.ShutdownWithContext)
	if err := app.Listen(os.Getenv("DYNO_ADDR"), fiber.ListenConfig{DisableStartupMessage: true}); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c fiber.Ctx) error {
	work()
	return c.SendString("hello world")
}
