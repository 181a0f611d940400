package main

import (
	"os"

	"github.com/gofiber/fiber/v2"

	"dyno/harness"
)

// readFile answers with a file that it reads anew.
func readFile(c *fiber.Ctx) error {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		return err
	}
	return c.Send(text)
}

// appendFile appends what it is sent to a file.
func appendFile(c *fiber.Ctx) error {
	harness.Work()
	_, err := harness.Log().Write(c.Body())
	return err
}
