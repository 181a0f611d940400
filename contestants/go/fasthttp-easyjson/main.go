// Command fasthttp-easyjson answers the JSON relay scenarios with fasthttp's server and client.
// It relays the service's JSON unchanged, or decoded and encoded by encoding/json or by code that
// easyjson generated.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fasthttp/router"
	"github.com/mailru/easyjson"
	"github.com/valyala/fasthttp"

	"dyno/harness"
	"fasthttp-easyjson/record"
)

var (
	upstream = "http://" + os.Getenv("DYNO_RECORDS") + "/data"
	client   = &fasthttp.HostClient{Addr: os.Getenv("DYNO_RECORDS"), MaxConns: 4000}
)

func main() {
	r := router.New()
	r.GET("/testNoProcess", noProcess)
	r.GET("/testReflection", relay(reflection))
	r.GET("/testNoReflection", relay(noReflection))

	server := &fasthttp.Server{Handler: r.Handler}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

// noProcess lets the client write into the response that the server sends.
func noProcess(ctx *fasthttp.RequestCtx) {
	harness.Work()
	if err := get(&ctx.Response); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadGateway)
	}
}

// relay asks the service and answers with the body that process returns.
func relay(process func(body []byte) ([]byte, error)) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		harness.Work()
		resp := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(resp)
		err := get(resp)
		if err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadGateway)
			return
		}
		body, err := process(resp.Body())
		if err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadGateway)
			return
		}
		ctx.SetContentType("application/json")
		ctx.Response.SetBodyRaw(body)
	}
}

func get(resp *fasthttp.Response) error {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	req.SetRequestURI(upstream)
	if err := client.Do(req, resp); err != nil {
		return err
	}
	if resp.StatusCode() != fasthttp.StatusOK {
		return fmt.Errorf("upstream: status %d", resp.StatusCode())
	}
	return nil
}

func reflection(body []byte) ([]byte, error) {
	var records []record.Record
	if err := json.Unmarshal(body, &records); err != nil {
		return nil, err
	}
	return json.Marshal(records)
}

func noReflection(body []byte) ([]byte, error) {
	var records record.List
	if err := easyjson.Unmarshal(body, &records); err != nil {
		return nil, err
	}
	return easyjson.Marshal(records)
}
