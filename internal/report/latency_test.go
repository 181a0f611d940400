package report

import (
	"strings"
	"testing"

	"dyno/internal/record"
)

func TestLatencyLines(t *testing.T) {
	plain := func(s ...string) string { return strings.Join(s, "") }
	h := record.NewHistogram()
	if got := latencyLines(h, plain); got != nil {
		t.Errorf("nothing shows as %q", got)
	}
	h.RecordN(900_000, 300)
	h.RecordN(1_500_000, 150)
	h.RecordN(9_000_000, 1)
	want := []string{"≤ 1.00 ms       300  " + strings.Repeat("█", 30),
		"≤ 2.00 ms       150  " + strings.Repeat("█", 15), "≤ 5.00 ms         0", "≤ 10.0 ms         1  ▏"}
	got := latencyLines(h, plain)
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h.Record(20_000) // far below: the lowest rows are one, and no count is lost
	h.RecordN(300_000_000, 2)
	got = latencyLines(h, plain)
	if len(got) != latencyRows || !strings.Contains(got[0], " 451") || !strings.Contains(got[latencyRows-1], " 2 ") {
		t.Errorf("\n%s", strings.Join(got, "\n"))
	}
}
