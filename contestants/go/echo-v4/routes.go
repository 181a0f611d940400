package main

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	e := echo.New()
	for _, route := range set {
		e.Add(route.Method, route.Path, func(c echo.Context) error {
			harness.Work()
			return c.String(http.StatusOK, route.Answer(c.Param))
		})
	}
	return e
}
