package main

import (
	"net/http"
	"os"
	"strconv"

	"github.com/gin-gonic/gin"

	"dyno/harness"
)

// readFile reads the file and answers with its content.
func readFile(c *gin.Context) {
	harness.Work()
	text, err := os.ReadFile(harness.File())
	if err != nil {
		c.AbortWithError(http.StatusInternalServerError, err)
		return
	}
	c.Header("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	c.Data(http.StatusOK, "text/plain; charset=utf-8", text)
}

// appendFile appends the request body to a file.
func appendFile(c *gin.Context) {
	harness.Work()
	text, err := c.GetRawData()
	if err == nil {
		_, err = harness.Log().Write(text)
	}
	if err != nil {
		c.AbortWithError(http.StatusInternalServerError, err)
		return
	}
	c.Status(http.StatusOK)
}
