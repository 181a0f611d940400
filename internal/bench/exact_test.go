package bench

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// TestLoadsAreHeldToWhatWasVerified: each contestant is asked at its own paths, and must repeat the
// bytes that its own process sent.
func TestLoadsAreHeldToWhatWasVerified(t *testing.T) {
	page := func(path, body string) *scenario.Scenario {
		return &scenario.Scenario{Name: "pages", Map: map[string]string{"/Home": "/home"},
			Requests: []scenario.Request{{Name: "page", Method: "GET", Path: path, Weight: 1,
				Expect: scenario.Expect{Status: 200, Body: &body, Collapse: true}}}}
	}
	b, h, d, _ := set(t)
	b.Scenario = page("/home", "<p>/home</p><p></p>")
	h.scenario = b.Scenario
	h.mutant = map[string]*scenario.Scenario{"b": page("/Home", "<p>/Home</p>  <p></p>\n"),
		"c": page("/home", "<p>/house</p>")}
	h.paths = map[string]map[string]string{"b": {"/home": "/Home"}}
	asked := map[string]bool{}
	d.asked = func(name string, job load.Job) {
		r := job.Scenario.Requests[0]
		asked[name+" "+r.Path+" "+*r.Expect.Body] = true
		if _, err := job.Scenario.Compile("h", scenario.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := small("a", "b", "c")
	p.Controls, p.Ceiling = nil, ""
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	if f := run.FailureOf("c"); len(run.Failures) != 1 || f == nil || f.Stage != "verify" ||
		!strings.Contains(f.Reason, "the page") {
		t.Errorf("failures %+v", run.Failures)
	}
	delete(asked, " /home <p>/home</p><p></p>") // the warm-up, in which more than one are thawed
	delete(asked, " /Home <p>/Home</p>  <p></p>\n")
	if len(asked) != 2 || !asked["a /home <p>/home</p><p></p>"] || !asked["b /Home <p>/Home</p>  <p></p>\n"] {
		t.Errorf("asked %q", slices.Sorted(maps.Keys(asked)))
	}
	if got := run.Contestant("b").Paths["/home"]; got != "/Home" {
		t.Errorf("its path is recorded as %q", got)
	}
}
