package main

import (
	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/mvc"

	"dyno/harness"
)

// homeController serves the pages: Iris derives method and path from the methods' names.
type homeController struct{}

// Get serves GET /.
func (*homeController) Get() mvc.View {
	harness.Work()
	return mvc.View{Name: "index", Data: iris.Map{"Title": "Home Page"}}
}

// GetAbout serves GET /about.
func (*homeController) GetAbout() mvc.View {
	harness.Work()
	return mvc.View{Name: "about", Data: iris.Map{"Title": "About", "Message": "Your application description page."}}
}

// GetContact serves GET /contact.
func (*homeController) GetContact() mvc.View {
	harness.Work()
	return mvc.View{Name: "contact", Data: iris.Map{"Title": "Contact", "Message": "Your contact page."}}
}

// HandleHTTPError shows the error page for every status from 400 on, and keeps the status.
func (*homeController) HandleHTTPError(code mvc.Code) mvc.View {
	return mvc.View{Name: "error", Data: iris.Map{"Title": "Error", "Code": int(code)}}
}
