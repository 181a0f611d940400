// Command don answers the scenario hello with Don.
package main

import (
	"context"
	"log"
	"os"

	"github.com/abemedia/go-don"
	_ "github.com/abemedia/go-don/encoding/text"
)

func main() {
	api := don.New(&don.Config{DefaultEncoding: "text/plain"})
	api.Get("/hello", don.H(hello))

	stopOnTerm(exit) // Don's server cannot be had, and so not be shut down
	if err := api.ListenAndServe(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
}

func hello(context.Context, any) (string, error) {
	work()
	return "hello world", nil
}
