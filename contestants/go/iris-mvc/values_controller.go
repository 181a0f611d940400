package main

import "github.com/kataras/iris/v12"

// valuesController serves /api/values/{id:int}: Iris derives method and path from the methods' names.
type valuesController struct{}

// GetBy serves GET /api/values/{id:int}.
func (*valuesController) GetBy(id int) string {
	work()
	return "value"
}

// PutBy serves PUT /api/values/{id:int}, whose body is a JSON string; it does nothing with it.
func (*valuesController) PutBy(ctx iris.Context, id int) error {
	var value string
	if err := ctx.ReadJSON(&value); err != nil {
		return err
	}
	work()
	return nil
}

// DeleteBy serves DELETE /api/values/{id:int}; there is nothing to delete.
func (*valuesController) DeleteBy(id int) {
	work()
}
