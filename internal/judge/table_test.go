package judge

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// The table is complete and in order, and doc/method.md has a line of each check
// with its question.
func TestTable(t *testing.T) {
	method, err := os.ReadFile("../../doc/method.md")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(table, func(a, b Check) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the table is not in order of ids")
	}
	asked := map[Question]bool{}
	for i := range table {
		c := &table[i]
		asked[c.Question] = true
		ofRuns := c.In != 0
		if c.Title == "" || ofRuns && (c.Means == "") != (c.Question == MachineQuiet) || ofRuns != (c.find != nil) ||
			!ofRuns && c.One.text == nil || (c.One.text != nil) != (c.One.Key != "") {
			t.Errorf("%s is incomplete: %+v", c.ID, c)
		}
		if ByID(c.ID) != c {
			t.Errorf("two checks are called %s", c.ID)
		}
		line := fmt.Sprintf("| %s | %s | %s |", c.ID, c.Title, c.Question)
		if !strings.Contains(string(method), line) {
			t.Errorf("doc/method.md has no line %q", line)
		}
	}
	for _, q := range Questions {
		if !asked[q] {
			t.Errorf("no check belongs to %q", q)
		}
	}
}

func TestSummary(t *testing.T) {
	answers := Summary([]Finding{
		{ID: ServerCPUs, State: Pass}, {ID: "V01", Contestant: "a", State: Warn}, {ID: "V02", Contestant: "b",
			State: Fail},
		{ID: Drift, State: CannotTell}, {ID: "V99", State: Fail}, {ID: Twins, State: Warn},
	})
	if len(answers) != len(Questions) {
		t.Fatalf("%d answers", len(answers))
	}
	for i, want := range []string{"yes", "no", "not asked", "cannot tell", "nearly", "not asked"} {
		if got := answers[i].Plain(); got != want || answers[i].Question != Questions[i] {
			t.Errorf("%s %s; want %s", answers[i].Question, got, want)
		}
	}
	if x := answers[GeneratorFree].Troubles(); len(x) != 2 || x[0].ID != "V02" {
		t.Errorf("%+v", x)
	}
	if x := answers[WarmedUp].Troubles(); len(x) != 0 {
		t.Errorf("%+v", x)
	}
}

func TestFindingByItsCheck(t *testing.T) {
	bound, excluded := Finding{ID: Ceiling, State: Fail}, Finding{ID: Busy, State: Fail}
	old := Finding{ID: "V27", State: Fail} // of a check that is gone
	if !bound.Bounds() || bound.Excludes() || excluded.Bounds() || !excluded.Excludes() || !old.Excludes() ||
		(Finding{ID: Busy, State: Warn}).Excludes() {
		t.Error("which findings strike a figure out, and which make it a lower bound")
	}
	if !bound.Concerns(Rate) || bound.Concerns(Memory) || !old.Concerns(Memory) ||
		!(Finding{ID: Contract}).Concerns(Memory) {
		t.Error("which metrics a finding concerns")
	}
	run, loads, level := sound(), &Evidence{Kind: kindOf(&record.Plan{Processes: record.PerLoad})},
		&Evidence{Kind: Levels, At: &record.Level{}}
	after, share, all := ByID(CheckCarryOver), ByID(Ceiling), &Evidence{Kind: Levels}
	if !run.applies(after) || loads.applies(after) || !run.applies(share) || !level.applies(share) || all.applies(share) {
		t.Error("of what checks speak")
	}
	if s, made := StateOf([]Finding{{ID: Twins, State: Warn}, bound}, Twins); s != Warn || !made {
		t.Errorf("%v, %t", s, made)
	}
	if _, made := StateOf([]Finding{bound}, Twins); made {
		t.Error("a check that was not made")
	}
	if (Limit{Warn: .1, Fail: .2}).Grade(.15) != Warn || Fail.String() != "fail" ||
		CannotTell.String() != "cannot tell" {
		t.Error("states")
	}
}
