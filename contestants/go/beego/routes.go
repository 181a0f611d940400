package main

import (
	"net/http"

	"github.com/beego/beego/v2/server/web"
	beego "github.com/beego/beego/v2/server/web/context"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := web.NewControllerRegister()
	method := map[string]func(string, web.HandleFunc){"GET": r.Get, "POST": r.Post, "PUT": r.Put, "DELETE": r.Delete}
	for _, route := range set {
		method[route.Method](route.Path, func(ctx *beego.Context) {
			harness.Work()
			ctx.WriteString(route.Answer(func(name string) string { return ctx.Input.Param(":" + name) }))
		})
	}
	return r
}
