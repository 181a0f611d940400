package refserver

import (
	"strings"
	"testing"

	"dyno/internal/scenario"
)

func TestJoin(t *testing.T) {
	body := func(s string) scenario.Expect { return scenario.Expect{Status: 200, Body: &s} }
	get := func(path string, e scenario.Expect) scenario.Request {
		return scenario.Request{Name: path, Method: "GET", Path: path, Weight: 1, Expect: e}
	}
	a := &scenario.Scenario{Name: "a", Requests: []scenario.Request{get("/x", body("x")), get("/y", body("y"))}}
	b := &scenario.Scenario{Name: "b", Requests: []scenario.Request{get("/y", body("y")), get("/z", body("z"))}}
	joined, err := Join([]*scenario.Scenario{a, b})
	if err != nil || len(joined.Requests) != 3 || joined.Requests[2].Path != "/z" {
		t.Errorf("%+v, %v", joined, err)
	}
	if len(a.Requests) != 2 {
		t.Error("the first scenario was changed")
	}
	b.Requests[0].Expect = body("another")
	if _, err := Join([]*scenario.Scenario{a, b}); err == nil || !strings.Contains(err.Error(), "cannot serve a "+
		"and b together") ||
		!strings.Contains(err.Error(), "GET /y") {
		t.Errorf("two answers to one request: %v", err)
	}
}
