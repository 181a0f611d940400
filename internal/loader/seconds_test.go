package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/hist"
	"dyno/internal/result"
	"dyno/internal/summary"
)

// TestBySecond: the seconds of two generators, one of which kept fewer than it had, are merged as far as both
// have them, and the rest is said to lack.
func TestBySecond(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.hlog")
	r := &Request{HDR: file}
	one := func(ns int64) *result.Detail {
		d := &result.Detail{Service: hist.New()}
		d.Service.RecordN(ns, 1000)
		return d
	}
	s := &summary.Summary{}
	outcomes := []*Outcome{{}, {}}
	var kept [2]seconds
	for k := range 4 {
		s.Seconds = append(s.Seconds, summary.Second{StartNS: int64(k) * 1e9, LengthNS: 1e9})
		for i, o := range outcomes {
			o.Summary.Seconds = s.Seconds
			if k == 3 {
				kept[1].bytes = mostBySecond
			}
			kept[i].keep(one(int64(i+1) * 1e6))
			o.BySecond = kept[i].all
		}
	}
	files, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := BySecond(s, outcomes, files, time.Unix(9, 0)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	h, err := hist.Decode(lines[len(lines)-1][strings.LastIndex(lines[len(lines)-1], ",")+1:])
	if err != nil || len(lines) != 5+3 || h.Count() != 2000 || h.Quantile(0.25) > 1.01e6 || h.Quantile(0.75) < 1.99e6 {
		t.Errorf("%v\n%s", err, text)
	}
	if p := s.Seconds; p[2].P99NS < 1.99e6 || p[3].P99NS != 0 {
		t.Errorf("%+v", p)
	}
	if len(s.Noted) != 1 || !strings.Contains(s.Noted[0].Text, "of the first 3 of 4 seconds") {
		t.Errorf("%+v", s.Noted)
	}
}
