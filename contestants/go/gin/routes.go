package main

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := gin.New()
	r.Use(gin.Recovery())
	for _, route := range set {
		r.Handle(route.Method, route.Path, func(c *gin.Context) {
			harness.Work()
			c.String(http.StatusOK, route.Answer(c.Param))
		})
	}
	return r
}
