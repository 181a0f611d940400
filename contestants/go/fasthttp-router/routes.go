package main

import (
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"dyno/harness"
	"dyno/harness/routes"
)

// routed returns h, or if DYNO_ROUTES names sets of routes, a handler that selects their routers by host.
func routed(h fasthttp.RequestHandler) fasthttp.RequestHandler {
	hosts := routes.ByHost(routerOf)
	if hosts == nil {
		return h
	}
	return func(ctx *fasthttp.RequestCtx) {
		if h := hosts[string(ctx.Host())]; h != nil {
			h(ctx)
			return
		}
		ctx.NotFound()
	}
}

// routerOf returns a router for a set of routes.
func routerOf(set []routes.Route) fasthttp.RequestHandler {
	r := router.New()
	for _, route := range set {
		r.Handle(route.Method, route.In("{", "}"), func(ctx *fasthttp.RequestCtx) {
			harness.Work()
			ctx.WriteString(route.Answer(func(name string) string { return ctx.UserValue(name).(string) }))
		})
	}
	return r.Handler
}
