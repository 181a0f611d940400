package checks

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The table is complete and in order, and doc/method.md has a line of each check.
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
		if c.Title == "" || c.find == nil || c.In == (Scopes{}) {
			t.Errorf("%s is incomplete: %+v", c.ID, c)
		}
		if ByID(c.ID) != c {
			t.Errorf("two checks are called %s", c.ID)
		}
		if line := "| " + c.ID + " | " + c.Title + " |"; !strings.Contains(string(method), line) {
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
