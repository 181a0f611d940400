// Command records is the service of the JSON relays: GET /data answers an array of made-up
// records, always the same bytes until POST /control?records=N&seed=S sets how many and which. They
// are rendered when they are set, so that an answer costs next to nothing.
package main

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"dyno/harness"
)

// Until it is told otherwise it answers with the smallest of the published sets.
const (
	firstRecords = 10
	firstSeed    = 1
	maxRecords   = 100_000
)

// data is the body of GET /data.
var data atomic.Pointer[[]byte]

func main() {
	set(firstRecords, firstSeed)
	server := &fasthttp.Server{Handler: handle}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext)
}

func set(records int, seed uint64) {
	body := render(records, seed)
	data.Store(&body)
}

func handle(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case "/data":
		if !ctx.IsGet() {
			ctx.Error("want GET", fasthttp.StatusMethodNotAllowed)
			return
		}
		ctx.SetContentType("application/json")
		ctx.Response.SetBodyRaw(*data.Load()) // no copy: it is never written to
	case "/control":
		if !ctx.IsPost() {
			ctx.Error("want POST", fasthttp.StatusMethodNotAllowed)
			return
		}
		if err := control(ctx.QueryArgs()); err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadRequest)
			return
		}
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	default:
		ctx.NotFound()
	}
}

// control reads records and seed; both must be there, so that a misspelt name sets nothing.
func control(args *fasthttp.Args) error {
	records, err := strconv.Atoi(string(args.Peek("records")))
	if err != nil || records < 0 || records > maxRecords {
		return fmt.Errorf("records=%q: want a number from 0 to %d", args.Peek("records"), maxRecords)
	}
	seed, err := strconv.ParseUint(string(args.Peek("seed")), 10, 64)
	if err != nil {
		return fmt.Errorf("seed=%q: want a number from 0 to 2^64-1", args.Peek("seed"))
	}
	set(records, seed)
	return nil
}
