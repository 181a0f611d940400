package main

import (
	"time"

	"github.com/kataras/iris/v12"
)

var delay = delayFromEnv()

// valuesController serves /api/values/{id:int}: Iris derives method and path from the methods' names.
type valuesController struct{}

// GetBy serves GET /api/values/{id:int}.
func (*valuesController) GetBy(id int) string {
	time.Sleep(delay) // returns at once when delay is zero
	return "value"
}

// PutBy serves PUT /api/values/{id:int}, whose body is a JSON string; it does nothing with it.
func (*valuesController) PutBy(ctx iris.Context, id int) error {
	var value string
	if err := ctx.ReadJSON(&value); err != nil {
		return err
	}
	time.Sleep(delay)
	return nil
}

// DeleteBy serves DELETE /api/values/{id:int}; there is nothing to delete.
func (*valuesController) DeleteBy(id int) {
	time.Sleep(delay)
}
