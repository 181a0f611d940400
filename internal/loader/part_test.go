package loader

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/summary"
)

// shareOf carries out the share of a load, and returns its JSON.
func shareOf(t *testing.T, r Request, i, of int) []byte {
	t.Helper()
	r.Share = load.Share{Index: i, Of: of}
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Run(t.Context(), &Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := summary.JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	if s.Share != r.Share.String() || !strings.HasPrefix(s.Did, "share "+s.Share+" of ") {
		t.Errorf("share %q: %s", s.Share, s.Did)
	}
	return b.Bytes()
}

// shares carries out all shares of a load and merges them.
func shares(t *testing.T, r Request, n int) (*summary.Summary, []*PartFile) {
	t.Helper()
	var files []*PartFile
	for i := range n {
		f, err := ReadPart("a", shareOf(t, r, i, n))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	s, err := MergeFiles(files, "dyno merge")
	if err != nil {
		t.Fatal(err)
	}
	return s, files
}

func TestMerge(t *testing.T) {
	url := served(t)
	for name, r := range map[string]Request{
		"closed": {URL: url, Connections: 7, Requests: 500, Seed: 3},
		"open":   {URL: url, Connections: 7, Requests: 300, Rate: 2000, Arrivals: "poisson", Seed: 3},
		"gonet":  {URL: url, Connections: 7, Requests: 300, Rate: 2000, Seed: 3, Engine: "gonet"},
	} {
		s, files := shares(t, r, 3)
		l := &s.Load
		if l.Planned != r.Requests || l.Succeeded != r.Requests || l.Connections != 7 || l.Established != 7 ||
			s.Open != (r.Rate > 0) || s.Share != "" || files[0].Failed(s) || s.Detail.Service.Count() != r.Requests {
			t.Errorf("%s: %+v", name, l)
		}
		seconds := int64(0)
		for _, sec := range s.Seconds {
			seconds += sec.Succeeded
		}
		if seconds != r.Requests {
			t.Errorf("%s: %d requests by the second", name, seconds)
		}
		var texts [2]bytes.Buffer
		if err := summary.Text(&texts[0], s); err != nil || !strings.Contains(texts[0].String(), "3 generators") {
			t.Errorf("%s: %v, %s", name, err, &texts[0])
		}
		if err := summary.JSON(&texts[1], s); err != nil || !json.Valid(texts[1].Bytes()) ||
			strings.Contains(texts[1].String(), `"part"`) {
			t.Errorf("%s: %v, %s", name, err, &texts[1])
		}
		// They ran one after another: their clocks say so.
		if s.Wall > 20*time.Millisecond && !summary.Has(s.Warnings(), summary.Apart) {
			t.Errorf("%s: %v, and no warning that they did not start together", name, s.Warnings())
		}
	}
}

// TestWarningsOfAGeneratorStand: that one of several lost the server is not lost in the sum.
func TestWarningsOfAGeneratorStand(t *testing.T) {
	_, files := shares(t, Request{URL: served(t), Connections: 2, Requests: 20, Seed: 3}, 2)
	files[1].warnings = []summary.Warning{{ID: summary.Ended, Text: "gone"}, {ID: summary.Rate, Text: "…"}}
	s, err := MergeFiles(files, "")
	if err != nil {
		t.Fatal(err)
	}
	if w := s.Warnings(); w[0].Text != "generator 2/2: gone" || !files[0].Failed(s) {
		t.Errorf("%v", w)
	}
	for i, g := range s.Generators {
		if g.Started != 10 || !g.ByOwnClock || i == 0 && g.BeganNS != 0 || i == 1 && g.BeganNS <= 0 {
			t.Errorf("generator %d: %+v", i, g)
		}
	}
}

func TestOtherLoadsDoNotMerge(t *testing.T) {
	r := Request{URL: served(t), Connections: 4, Requests: 20, Seed: 3}
	a := shareOf(t, r, 0, 2)
	read := func(b []byte) *PartFile {
		f, err := ReadPart("b", b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for want, change := range map[string]func(*Request){
		"different loads:":   func(r *Request) { r.Seed = 4 },
		"22 requests":        func(r *Request) { r.Requests = 22 },
		"/x: 20":             func(r *Request) { r.URL += "x" },
		"versions of dyno":   func(r *Request) { r.Dyno = "other" },
		"over 6 connections": func(r *Request) { r.Connections = 6 },
	} {
		other := r
		change(&other)
		_, err := MergeFiles([]*PartFile{read(a), read(shareOf(t, other, 1, 2))}, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := MergeFiles([]*PartFile{read(a), read(a)}, ""); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same share twice: %v", err)
	}
	if _, err := MergeFiles([]*PartFile{read(a)}, ""); err == nil {
		t.Error("one of two shares is a load")
	}
	for _, text := range []string{"{}", "", "[1]", `{"part":{}}`, `{"part":{"record":{}}}`} {
		if _, err := ReadPart("x.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "x.json") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSharesThatCannotBe(t *testing.T) {
	url := served(t)
	for want, r := range map[string]Request{
		"-c is 2":      {Connections: 2, Requests: 9},
		"-n is 2":      {Connections: 9, Requests: 2},
		"omit --share": {Find: objectives("p99<10ms")},
		"was 1h0m0":    {StartAt: time.Now().Add(-time.Hour), Requests: 9, Connections: 9},
	} {
		r.URL, r.Share = url, load.Share{Index: 1, Of: 3}
		p, err := New(t.Context(), r)
		if err == nil {
			_, err = p.Run(t.Context(), &Files{}, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// TestStartAt: a load does not begin before its time.
func TestStartAt(t *testing.T) {
	at := time.Now().Add(300 * time.Millisecond)
	p, err := New(t.Context(), Request{URL: served(t), Connections: 2, Requests: 2, StartAt: at})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Run(t.Context(), &Files{}, nil)
	if err != nil || time.Now().Before(at.Add(s.Wall)) || s.Load.Succeeded != 2 {
		t.Errorf("%v, %+v", err, s)
	}
}
