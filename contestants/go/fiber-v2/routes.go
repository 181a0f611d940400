package main

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dyno/harness"
	"dyno/harness/routes"
)

// routed gives app's server an app per set of routes in DYNO_ROUTES, selected by host.
func routed(app *fiber.App) {
	hosts := routes.ByHost(appOf)
	if hosts == nil {
		return
	}
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if h := hosts[string(ctx.Host())]; h != nil {
			h(ctx)
			return
		}
		ctx.NotFound()
	}
}

// appOf returns an app with a set of routes.
func appOf(set []routes.Route) fasthttp.RequestHandler {
	app := fiber.New()
	for _, route := range set {
		app.Add(route.Method, route.Path, func(c *fiber.Ctx) error {
			harness.Work()
			return c.SendString(route.Answer(func(name string) string { return c.Params(name) }))
		})
	}
	return app.Handler()
}
