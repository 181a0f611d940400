package main

import (
	"github.com/kataras/iris/v12"

	"dyno/harness"
)

// valuesController serves /api/values/{id:int}: Iris derives method and path from the methods'
// names.
type valuesController struct{}

// GetBy serves GET /api/values/{id:int}.
func (*valuesController) GetBy(id int) string {
	harness.Work()
	return "value"
}

// PutBy serves PUT /api/values/{id:int}, whose body is a JSON string; it does nothing with it.
func (*valuesController) PutBy(ctx iris.Context, id int) error {
	var value string
	if err := ctx.ReadJSON(&value); err != nil {
		return err
	}
	harness.Work()
	return nil
}

// DeleteBy serves DELETE /api/values/{id:int}; there is nothing to delete.
func (*valuesController) DeleteBy(id int) {
	harness.Work()
}
