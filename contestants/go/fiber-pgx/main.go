// Command fiber-pgx answers TechEmpower's scenarios, values and hello with Fiber and pgx.
package main

import (
	"embed"
	"log"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/template/html/v3"

	"dyno/harness"
)

//go:embed views
var views embed.FS

func main() {
	app := fiber.New(fiber.Config{Views: html.NewFileSystem(http.FS(views), ".html")})
	app.Get("/api/values/:id<int>", func(c fiber.Ctx) error { return c.SendString("value") })
	app.Get("/hello", func(c fiber.Ctx) error { return c.SendString("hello world") })
	app.Get("/plaintext", func(c fiber.Ctx) error { return c.SendString("Hello, World!") })
	app.Get("/json", func(c fiber.Ctx) error { return c.JSON(fiber.Map{"message": "Hello, World!"}) })
	if url := os.Getenv("DATABASE_URL"); url != "" {
		s, err := newStore(url)
		if err != nil {
			log.Fatal(err)
		}
		app.Get("/db", s.getWorld)
		app.Get("/queries", s.getWorlds)
		app.Get("/updates", s.updateWorlds)
		app.Get("/fortunes", s.getFortunes)
		app.Get("/cached-queries", s.getCachedWorlds)
	}
	harness.Serve(func(addr string) error {
		return app.Listen(addr, fiber.ListenConfig{DisableStartupMessage: true})
	}, app.ShutdownWithContext)
}
