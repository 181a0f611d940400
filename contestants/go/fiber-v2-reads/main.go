// Command fiber-v2-reads answers tfb-db, cache-get, file-read and hello with Fiber v2.
package main

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"dyno/harness"
	"dyno/reads"
)

func main() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/hello", hello)
	app.Get("/db", world(reads.Row))
	app.Get("/cache", world(reads.Cached))
	app.Get("/file", readFile)

	harness.Serve(app.Listen, app.ShutdownWithContext)
}

func hello(c *fiber.Ctx) error {
	harness.Work()
	return c.SendString("hello world")
}

func world(read func(context.Context) (reads.World, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		row, err := read(c.Context())
		if err != nil {
			return err
		}
		return c.JSON(row)
	}
}

func readFile(c *fiber.Ctx) error {
	text, err := reads.File()
	if err != nil {
		return err
	}
	return c.Send(text)
}
