// Command fiber-arena answers scenarios of HttpArena with Fiber and its middleware.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"log"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/compress"
	"github.com/gofiber/fiber/v3/middleware/static"

	"dyno/harness"
	"items"
	"templates"
)

type item struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	Price    int      `json:"price"`
	Quantity int      `json:"quantity"`
	Active   bool     `json:"active"`
	Tags     []string `json:"tags"`
	Rating   struct {
		Score int `json:"score"`
		Count int `json:"count"`
	} `json:"rating"`
}

func main() {
	var catalog []item
	if err := json.Unmarshal(items.JSON, &catalog); err != nil {
		log.Fatal(err)
	}
	public, err := fs.Sub(templates.Files, "wwwroot")
	if err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	app.Use(compress.New())
	app.Get("/hello", func(c fiber.Ctx) error { return c.SendString("hello world") })
	app.Get("/public/*", static.New("", static.Config{FS: public}))
	app.Get("/items", func(c fiber.Ctx) error { return c.JSON(catalog) })
	app.Post("/upload", func(c fiber.Ctx) error {
		sum := sha256.Sum256(c.Body())
		return c.SendString(hex.EncodeToString(sum[:]))
	})
	harness.Serve(func(addr string) error {
		return app.Listen(addr, fiber.ListenConfig{DisableStartupMessage: true})
	}, app.ShutdownWithContext)
}
