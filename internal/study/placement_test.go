package study

import (
	"slices"
	"strings"
	"testing"
)

// A claim is judged at the level as published, too, if the study has one that is otherwise the same.
func TestClaimsAsPublished(t *testing.T) {
	const level = `
[[level]]
name = "all CPUs"
extra = true
extra_epochs = 12
contestants = ["fast", "slow"]
launch = { placement = "as-published" }
load = { connections = 10 }
`
	d, seen := fakeWith(t, level), 0
	for i := range d.Claims.Outcomes {
		o := &d.Claims.Outcomes[i]
		switch o.Claim.ID {
		case "ratio":
			seen++
			const want = "With nothing pinned, as published: "
			if o.Place != " on one CPU" || len(o.Elsewhere) != 1 || !o.Elsewhere[0].judged() || o.differs() ||
				!strings.HasPrefix(o.elsewhereText(), want) || !strings.Contains(o.OursText(), ") on one CPU") ||
				!strings.Contains(o.Elsewhere[0].OursText(), ") on 2 CPUs shared with the load generator") {
				t.Errorf("%+v; %s; %s", o, o.elsewhereText(), o.OursText())
			}
		case "reversed":
			if seen++; o.Elsewhere != nil {
				t.Errorf("no level as published is like its own: %+v", o.Elsewhere)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 claims", seen)
	}
	st, err := Read(project(map[string]string{"study.toml": fakeStudy + level, "figures.csv": fakeFigures}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	if names := st.names(Choice{Apart: true}); slices.Contains(names, "all CPUs") || len(names) == 0 {
		t.Errorf("on several machines: %q", names)
	}
	d = judgedBy(t, st, Choice{Levels: []string{"all CPUs"}})
	for i := range d.Claims.Outcomes {
		o := &d.Claims.Outcomes[i]
		if o.Claim.ID == "ratio" && (!o.judged() || o.Elsewhere != nil || !strings.Contains(o.OursText(), "shared with")) ||
			o.Claim.ID == "reversed" && o.Verdict != NotRun {
			t.Errorf("judged only as published: %+v", o)
		}
	}
}
