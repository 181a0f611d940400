package loader

import (
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/report"
)

// share carries out one share of a load.
func share(t *testing.T, r Request, i, of int) *Outcome {
	t.Helper()
	r.Share = load.Share{Index: i, Of: of}
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	session, err := p.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	o, err := p.Measure(t.Context(), session, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestMerge(t *testing.T) {
	url, names := served(t), []string{"a", "b", "c"}
	for name, r := range map[string]Request{
		"closed": {URL: url, Connections: 7, Requests: 500, Seed: 3},
		"open":   {URL: url, Connections: 7, Requests: 300, Rate: 2000, Arrivals: "poisson", Seed: 3},
	} {
		s, err := Merge([]*Outcome{share(t, r, 0, 3), share(t, r, 1, 3), share(t, r, 2, 3)}, names)
		if err != nil {
			t.Fatal(err)
		}
		l := &s.Load
		if l.Planned != r.Requests || l.Succeeded != r.Requests || l.Connections != 7 || l.Established != 7 ||
			s.Open != (r.Rate > 0) || r.Failed(s) || s.Detail.Service.Count() != r.Requests || len(s.Generators) != 3 {
			t.Errorf("%s: %+v", name, l)
		}
		seconds := int64(0)
		for _, sec := range s.Seconds {
			seconds += sec.Succeeded
		}
		var text strings.Builder
		if err := report.SummaryText(&text, s); err != nil || !strings.Contains(text.String(), "3 generators") ||
			seconds != r.Requests {
			t.Errorf("%s: %d requests by the second; %v, %s", name, seconds, err, &text)
		}
	}
}

func TestOtherLoadsDoNotMerge(t *testing.T) {
	r := Request{URL: served(t), Connections: 4, Requests: 20, Seed: 3}
	a := share(t, r, 0, 2)
	for want, change := range map[string]func(*Request){
		"different loads:":   func(r *Request) { r.Seed = 4 },
		"22 requests":        func(r *Request) { r.Requests = 22 },
		"/x: 20":             func(r *Request) { r.URL += "x" },
		"over 6 connections": func(r *Request) { r.Connections = 6 },
	} {
		other := r
		change(&other)
		if _, err := Merge([]*Outcome{a, share(t, other, 1, 2)}, []string{"a", "b"}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := Merge([]*Outcome{a, a}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same share twice: %v", err)
	}
	if _, err := Merge([]*Outcome{a}, []string{"a"}); err == nil {
		t.Error("one of two shares is a load")
	}
}

func TestSharesThatCannotBe(t *testing.T) {
	for want, r := range map[string]Request{
		"3 generators make the load: each needs a connection, and -c is 2": {Connections: 2, Requests: 9},
		"3 generators make the load: each needs a request, and -n is 2":    {Connections: 9, Requests: 2},
	} {
		r.URL, r.Share = "http://127.0.0.1:1/", load.Share{Index: 1, Of: 3}
		if _, err := New(t.Context(), r); err == nil || err.Error() != want {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
