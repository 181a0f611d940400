package study

import (
	"strings"
	"testing"

	"dyno/internal/report"
)

// A level's cost beyond the base is the difference in CPU per request, paired within rounds.
func TestCosts(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	st.Base = "c10"
	d, err := st.JudgeClaims(Evaluate(run), "studies/fake")
	if err != nil {
		t.Fatal(err)
	}
	// ns: 0.99 s of CPU a second, at the rates of fakeRun
	want := map[string]float64{"fast c20": 3850, "slow c20": 2200}
	for _, c := range d.Claims.Costs {
		switch ns, known := want[c.Contestant+" "+c.Level]; {
		case c.Level == "c10":
			t.Errorf("the base is a cost: %+v", c)
		case known && (c.More.Lo > ns*1.02 || c.More.Hi < ns/1.02 || c.More.Value < ns/1.1 || c.More.Value > ns*1.1 ||
			c.Absent != ""):
			t.Errorf("%s at %s costs %+v (%s); want %v ns", c.Contestant, c.Level, c.More, c.Absent, ns)
		case !known && c.Absent == "" && c.More.N > 0:
			t.Errorf("%s at %s, which shares no round with the base or failed: %+v", c.Contestant, c.Level, c.More)
		}
	}
	text := string(written(t, ClaimsText, d))
	slow, fast := strings.LastIndex(text, "\nslow "), strings.LastIndex(text, "\nfast ")
	if run := string(written(t, report.Text, d.Data)); !strings.Contains(run, "What the levels cost") {
		t.Errorf("the run:\n%s", run)
	}
	if !strings.Contains(text, "CPU per request beyond the level c10, µs") || slow < 0 || slow > fast {
		t.Errorf("the cheaper one goes first:\n%s", text)
	}
	if page := string(written(t, Readme, d)); !strings.Contains(page, "| slow | 19.7 | +2.") ||
		!strings.Contains(page, "| odd | – | – | – |") {
		t.Errorf("the page:\n%s", page)
	}
	if text := string(written(t, ClaimsJSON, d)); !strings.Contains(text, `"costs"`) ||
		!strings.Contains(text, `"base": "c10"`) {
		t.Errorf("the JSON:\n%s", text)
	}
}

func TestBaseErrors(t *testing.T) {
	for base, want := range map[string]string{"c11": `no level "c11" in this study; it has c10, c20, late`,
		"c10": `"late" and "c10" have different delays`} {
		_, err := Read(project(map[string]string{"study.toml": "base = \"" + base + "\"\n" + fakeStudy}), "fake")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "study.toml:1:") {
			t.Errorf("%s: %v; want %s", base, err, want)
		}
	}
	for base, want := range map[string]string{"c11": `no level "c11" in this study`, "c20": ""} {
		text := "base = \"c10\"\n" + strings.Replace(fakeStudy, "load = { connections = 20 }",
			"base = \""+base+"\"\nload = { connections = 20 }", 1)
		text = strings.Replace(text, `name = "late"`, "name = \"late\"\nbase = \"late\"", 1)
		_, err := Read(project(map[string]string{"study.toml": text}), "fake")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of a level, %s: %v; want %s", base, err, want)
		}
	}
}
