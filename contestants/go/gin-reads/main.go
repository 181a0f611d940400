// Command gin-reads answers tfb-db, cache-get, file-read and hello with Gin.
package main

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"dyno/harness"
	"dyno/harness/nethttp"
	"dyno/reads"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New() // without gin.Default's log line per request
	r.Use(gin.Recovery())
	r.GET("/hello", hello)
	r.GET("/db", world(reads.Row))
	r.GET("/cache", world(reads.Cached))
	r.GET("/file", readFile)

	nethttp.Serve(r)
}

func hello(c *gin.Context) {
	harness.Work()
	c.String(http.StatusOK, "hello world")
}

func world(read func(context.Context) (reads.World, error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		row, err := read(c.Request.Context())
		if err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, row)
	}
}

func readFile(c *gin.Context) {
	text, err := reads.File()
	if err != nil {
		c.AbortWithError(http.StatusInternalServerError, err)
		return
	}
	c.Header("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	c.Data(http.StatusOK, "text/plain; charset=utf-8", text)
}
