package main

import (
	"os"

	"github.com/gofiber/fiber/v2"

	"dyno/harness"
)

// readFile reads the file and answers with its content.
func readFile(c *fiber.Ctx) error {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		return err
	}
	return c.Send(text)
}

// appendFile appends the request body to a file.
func appendFile(c *fiber.Ctx) error {
	harness.Work()
	_, err := harness.Log().Write(c.Body())
	return err
}
