// Command gin-sql answers TechEmpower's scenarios, values and hello with Gin and database/sql.
package main

import (
	"encoding/json"
	"html/template"
	"log"
	"net/http"
	"os"
	"strconv"

	"github.com/gin-gonic/gin"

	"dyno/harness/nethttp"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New() // without gin.Default's log line per request
	r.Use(gin.Recovery())
	r.GET("/api/values/:id", getValue)
	r.GET("/hello", func(c *gin.Context) { c.String(http.StatusOK, "hello world") })
	r.GET("/plaintext", func(c *gin.Context) { c.String(http.StatusOK, "Hello, World!") })
	r.GET("/json", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"message": "Hello, World!"}) })
	if url := os.Getenv("DATABASE_URL"); url != "" {
		s, err := newStore(url)
		if err != nil {
			log.Fatal(err)
		}
		r.SetHTMLTemplate(template.Must(template.ParseFS(pages, "*.html")))
		r.GET("/db", s.getWorld)
		r.GET("/queries", s.getWorlds)
		r.GET("/updates", s.updateWorlds)
		r.GET("/cached-queries", s.getCachedWorlds)
		r.GET("/fortunes", s.getFortunes)
	}
	nethttp.Serve(r)
}

func getValue(c *gin.Context) {
	if _, err := strconv.Atoi(c.Param("id")); err != nil {
		c.String(http.StatusNotFound, "not found")
		return
	}
	c.String(http.StatusOK, "value")
}

// answer answers with v in JSON. c.JSON, which /json uses, knows no length.
func answer(c *gin.Context, v any, err error) {
	if err != nil {
		fail(c, err)
		return
	}
	body, err := json.Marshal(v)
	if err != nil {
		fail(c, err)
		return
	}
	c.Header("Content-Length", strconv.Itoa(len(body))) // otherwise net/http sends chunks above 2 KB
	c.Data(http.StatusOK, "application/json; charset=utf-8", body)
}

func fail(c *gin.Context, err error) {
	log.Print(err)
	c.String(http.StatusInternalServerError, "internal server error")
}
