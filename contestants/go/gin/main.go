// Command gin answers the scenario hello with Gin.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New() // without gin.Default's log line per request
	r.Use(gin.Recovery())
	r.GET("/hello", hello)
	r.GET("/file", readFile)
	r.POST("/append", appendFile)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(c *gin.Context) {
	harness.Work()
	c.String(http.StatusOK, "hello world")
}
