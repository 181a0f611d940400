// Command don answers the scenario hello with Don.
package main

import (
	"context"

	"github.com/abemedia/go-don"
	_ "github.com/abemedia/go-don/encoding/text"

	"dyno/harness"
)

func main() {
	api := don.New(&don.Config{DefaultEncoding: "text/plain"})
	api.Get("/hello", don.H(hello))

	harness.Serve(api.ListenAndServe, nil) // Don does not expose its server, so it cannot be shut down
}

func hello(context.Context, any) (string, error) {
	harness.Work()
	return "hello world", nil
}
