package study

import (
	"slices"
	"strings"
	"testing"
)

const besideStudy = `title = "Fast against slow"
scenario = "s"
contestants = ["fast", "slow"]
requests = 5000
extra_epochs = 24
[[level]]
load = { connections = 10 }
[[level]]
name = "beside"
extra = true
load = { connections = 20 }
[[classic]]
[[classic]]
name = "short"
contestants = ["fast"]
level = "beside"
duration = "20s"
[[claim]]
id = "first"
sentences = ["F-01"]
text = "Fast is twice as fast."
kind = "ratio"
a = "fast"
b = "slow"
value = 2
[[claim]]
id = "beside"
sentences = ["F-02"]
text = "Fast is twice as fast with twenty connections."
kind = "ratio"
a = "fast @ beside"
b = "slow @ beside"
value = 1.6
`

// With an extra level all pairs at the first level are still decided, and cells there need no
// names; a page can be made from a run without it.
func TestExtraLevel(t *testing.T) {
	st, err := Read(project(map[string]string{"study.toml": besideStudy}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		Choice
		beside Verdict
	}{{Choice{}, Confirmed}, {Choice{Levels: []string{"c10"}}, NotRun}} {
		run := fakeRun(t, st, c.Choice)
		if !run.Plan.Ranks() {
			t.Errorf("not all pairs at one level: %v", run.Plan.Family)
		}
		d := Evaluate(run)
		judged, err := st.JudgeClaims(d, "x")
		if err != nil || st.Whole(run) != nil {
			t.Fatal(err, st.Whole(run))
		}
		for i, want := range []Verdict{Confirmed, c.beside} {
			if o := judged.Outcomes[i]; o.Verdict != want {
				t.Errorf("%v, %s: %s (%s), want %s", c.Levels, o.Claim.ID, o.Verdict, o.Reason, want)
			}
		}
		at := map[string]int{}
		for _, tr := range run.Trials {
			if tr.Level.Connections == 20 && tr.Epoch >= run.Plan.Pilots {
				at[tr.Contestant]++
			}
		}
		if len(c.Levels) == 0 && (at["fast"] < 8 || at["fast"] != at["slow"]) {
			t.Errorf("loads beside: %v; want one each an epoch", at)
		}
	}
}

func TestClassics(t *testing.T) {
	st, err := Read(project(map[string]string{"study.toml": besideStudy}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	q := st.Ask(Choice{}).Classics
	if len(q) != 2 || !slices.Equal(q[0].Contestants, []string{"fast", "slow"}) || q[0].Requests != 5000 ||
		q[0].Level.Connections != 10 || q[1].Name != "short" ||
		q[1].Level.Connections != 20 || q[1].Requests != 0 || q[1].Duration != 20e9 {
		t.Errorf("%+v", q)
	}
	if q := st.Ask(Choice{Levels: []string{"beside"}}).Classics; q != nil {
		t.Errorf("of a level that was asked for: %+v", q)
	}
	for _, c := range []struct{ old, new, want string }{
		{`name = "short"`, ``, `"" is the name of an earlier classic run`},
		{`level = "beside"`, `level = "besides"`, `no level "besides" in this study`},
		{`contestants = ["fast"]`, `contestants = ["odd"]`, `no contestant "odd" at the level "beside"`},
		{`duration = "20s"`, `duration = "20"`, `"20": want a time such as 30m`},
		{`duration = "20s"`, "duration = \"20s\"\nrequests = 7", `requests and duration exclude each other`},
		{"[[level]]\n", "[[level]]\nextra = true\n", `the first level cannot be an extra one`},
	} {
		text := strings.Replace(besideStudy, c.old, c.new, 1)
		if _, err := Read(project(map[string]string{"study.toml": text}), "fake"); err == nil ||
			!strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "studies/fake/study.toml:") {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}
