package loader

import (
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/report"
)

// TestBySecond: the seconds of two generators, one of which kept fewer than it had, are merged as far as both
// have them, and a warning reports the rest.
func TestBySecond(t *testing.T) {
	one := func(ns int64) *record.Detail {
		d := &record.Detail{Service: record.NewHistogram()}
		d.Service.RecordN(ns, 1000)
		return d
	}
	s := &report.Summary{}
	outcomes := []*Outcome{{}, {}}
	var kept [2]seconds
	for k := range 4 {
		s.Seconds = append(s.Seconds, report.Second{StartNS: int64(k) * 1e9, LengthNS: 1e9})
		for i, o := range outcomes {
			o.Summary.Seconds = s.Seconds
			if k == 3 {
				kept[1].bytes = mostBySecond
			}
			kept[i].keep(one(int64(i+1) * 1e6))
			o.BySecond = kept[i].all
		}
	}
	if err := BySecond(s, outcomes); err != nil {
		t.Fatal(err)
	}
	if p := s.Seconds; p[2].P50NS > 1.01e6 || p[2].P99NS < 1.99e6 || p[3].P99NS != 0 {
		t.Errorf("%+v", p)
	}
	if len(s.Noted) != 1 || !strings.Contains(s.Noted[0].Text, "of the first 3 of 4 seconds") {
		t.Errorf("%+v", s.Noted)
	}
}
