package report

import (
	"slices"
	"testing"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// TestLogCutIsSaid: by the launch of which most is left out.
func TestLogCutIsSaid(t *testing.T) {
	run := &result.Run{}
	for _, cut := range []int64{0, 3 << 20, 1 << 20} {
		run.Trials = append(run.Trials, &result.Trial{Contestant: "a", Server: result.Usage{LogCutBytes: cut}})
	}
	v := &view{run: run, a: &analysis.Analysis{}}
	const want = "log cut to 64 MB: 3.00 MiB left out between head and tail"
	if got := v.notes(&row{Name: "a"}); !slices.Equal(got, []string{want}) {
		t.Errorf("%q", got)
	}
	if got := v.notes(&row{Name: "b"}); len(got) > 0 {
		t.Errorf("b: %q", got)
	}
}
