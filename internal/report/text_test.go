package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"dyno/internal/judge"
	"dyno/internal/record"
)

func TestText(t *testing.T) {
	for name, f := range fixtures {
		golden(t, name+".txt", written(t, Text, f()))
		golden(t, name+"-verbose.txt", written(t, inFull, f()))
	}
	d := fixture()
	d.Color, d.Width = true, 140
	golden(t, "full-color-140.txt", written(t, Text, d))
}

// What stands between a column and the edge must hold at any width that a terminal has; the command
// alone is left whole.
func TestTextWidth(t *testing.T) {
	for name, f := range fixtures {
		for width := 40; width <= 200; width += 10 {
			d := f()
			d.Width = width
			fits(t, fmt.Sprintf("%s at width %d", name, width), string(written(t, Text, d)), min(width, 100))
			fits(t, fmt.Sprintf("all of %s at width %d", name, width), string(written(t, inFull, d)), width)
		}
	}
}

// fits checks the lines of a text; the command, which is there to be copied, stands below its heading.
func fits(t *testing.T, name, text string, width int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > width && !strings.HasPrefix(l, "Again ") && lines[max(0, i-1)] != "Repeat it" {
			t.Errorf("%s: a line of %d: %q", name, n, l)
		}
	}
}

// A whole run is told in 27 lines, its result within the first four.
func TestTextIsShort(t *testing.T) {
	for width, most := range map[int]int{80: 31, 100: 27, 140: 27} {
		d := fixture()
		d.Folder, d.Page, d.Width = "runs/today", "runs/today/report.html", width
		d.Run.Failures, d.Findings = d.Run.Failures[:1], d.Findings[:4] // one could not be built
		d.Run.Plan.Contestants = d.Run.Plan.Contestants[:7]
		d.Analysis.Order = d.Analysis.Order[:7]
		lines := strings.Split(strings.TrimSuffix(string(written(t, Text, d)), "\n"), "\n")
		if len(lines) > most {
			t.Errorf("%d lines at %d columns:\n%s", len(lines), width, strings.Join(lines, "\n"))
		}
		if !strings.Contains(strings.Join(lines[:4], " "), "fastest") {
			t.Errorf("no result in the first lines:\n%s", strings.Join(lines[:4], "\n"))
		}
	}
}

// Trust has what is fine on one line, and each trouble on a line of its own with what to do, the
// worst first.
func TestTrust(t *testing.T) {
	d := fixture()
	d.Findings = []judge.Finding{{ID: judge.Contract, State: judge.Pass}, {ID: judge.Twins, State: judge.Pass},
		{ID: judge.Calibrated, State: judge.Warn}, {ID: judge.Drift, Contestant: "iris", State: judge.Fail},
		{ID: judge.FreshStarts, Contestant: "iris", State: judge.CannotTell, Text: "spread", Longer: true},
		{ID: judge.Dependence, State: judge.CannotTell, Text: "few"}}
	d.Run.End.Reason, d.Run.Plan.Epochs = "budget", []int{24}
	d.Folder = "runs/1"
	got := ""
	for _, it := range NewView(d).trust() {
		got += fmt.Sprintf("%-5s %s\n", it.Label, it.Text)
	}
	want := `Trust answers right (what was compared is not recorded) · two copies of one server came out equal
!     Iris: its speed changed during the run; --profile lab warms up longer, on 4 CPUs
!     response times include an unknown part of the load generator's own; dyno doctor measures it
?     cannot tell if the data are enough: Iris: spread; the command under Figures shows 1 more finding; run longer: --budget 12m
      long loads favour managed runtimes by up to 9 %
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, name := range d.Run.Plan.Servers.Managed {
		d.Run.Failures = append(d.Run.Failures, record.Failure{Contestant: name})
	}
	if got := NewView(d).unlikeService(); got != "" {
		t.Errorf("no managed runtime ran, and %q", got)
	}
	d.Valid, d.Findings = 0, d.Findings[:3]
	if first := NewView(d).trust()[0].Text.String(); first != "nothing was measured:" {
		t.Errorf("without a valid trial: %q", first)
	}
}

func TestToBestCell(t *testing.T) {
	for _, c := range []struct {
		e    judge.Estimate
		want string
	}{
		{judge.Estimate{Value: 1, Lo: 1, Hi: 1}, "1.00 "},
		{judge.Estimate{Value: 1.346, Lo: 1.306, Hi: 1.411}, "1.35 (1.31–1.41)"},
		{judge.Estimate{Value: 13.1, Lo: 12.39, Hi: 13.7}, "13.1 (12.4–13.7)"},
		{judge.Estimate{Value: 1.02, Lo: 1.001, Hi: 1.04}, "1.020 (1.001–1.040)"}, // which is not 1
		{judge.Estimate{Value: 1.4, Lo: 0, Hi: math.Inf(1)}, "1.40 "},
	} {
		if got := toBestCell(c.e); got.Value+" "+got.Side != c.want {
			t.Errorf("%v: %q %q, want %q", c.e, got.Value, got.Side, c.want)
		}
	}
}

// Colour only adds: without the escape codes the text is the same.
func TestTextColorOnlyAdds(t *testing.T) {
	d := fixture()
	plain := string(written(t, Text, d))
	d.Color = true
	colored := string(written(t, Text, d))
	if colored == plain {
		t.Fatal("no colour")
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""); got != plain {
		t.Errorf("colour changed the text:\n%s", got)
	}
}

func TestTextHostile(t *testing.T) {
	got := string(written(t, Text, hostile()))
	for _, r := range got {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Errorf("control character %q reached the terminal", r)
		}
	}
}

// TestMergedTailIsOfRightAnswers: the caption of p99 says of which requests it is, and by which clock.
func TestMergedTailIsOfRightAnswers(t *testing.T) {
	d := fixture()
	for i := range d.Analysis.Cells {
		if c := &d.Analysis.Cells[i]; c.Metric == "p99" {
			c.Merged = true
		}
	}
	p := NewView(d)
	tail := judge.ClassicNamed("p99")
	want := "p99: over all right answers in these loads"
	if got := p.latencyWords(p.ranked(), []judge.Metric{tail}); !slices.Contains(got, want) {
		t.Errorf("%q; want %s", got, want)
	}
}
