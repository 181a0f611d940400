package scenario_test

import (
	"fmt"

	"dyno/internal/scenario"
)

// A scenario is compiled once per host. Each connection then draws its requests from a source.
func Example() {
	body := "value {id}"
	s := &scenario.Scenario{Name: "values", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/api/values/{id}", Weight: 1,
		With:   map[string]scenario.Input{"id": {Int: [2]int64{7, 7}}},
		Expect: scenario.Expect{Status: 200, Body: &body},
	}}}
	mix, err := s.Compile("localhost:5000", scenario.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var want scenario.Want
	request := mix.NewSource(1, 0, 1).Next(nil, &want)
	fmt.Printf("%q\n%d %s\n", request, want.Status, want.Body)
	// Output:
	// "GET /api/values/7 HTTP/1.1\r\nHost: localhost:5000\r\n\r\n"
	// 200 value 7
}
