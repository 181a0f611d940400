package study

import (
	"strings"
	"testing"

	"dyno/internal/report"
)

const fakeVariants = `
[[variant]]
is     = "fast"
of     = "slow"
what   = "one allocation less"
levels = ["c10", "c20"]
[[variant]]
is     = "odd"
of     = "slow"
what   = "it fails"
levels = ["c10"]
`

// A page shows the effect of variants: the ratio of rates, at each level.
func TestVariants(t *testing.T) {
	d := fakeWith(t, fakeVariants)
	all := d.Claims.Variants
	if len(all) != 3 || all[0].Times.Lo > 2 || all[0].Times.Hi < 2 || all[0].Times.N == 0 {
		t.Fatalf("%+v; want 2 × at c10", all)
	}
	if !strings.Contains(all[2].Absent, "odd: inconclusive: ") {
		t.Errorf("one that failed: %+v", all[2])
	}
	for form, want := range map[string]string{
		string(written(t, Readme, d)):           "| fast | slow | c10 | 1.99 (1.97–2.02) | 12 | one allocation less |",
		string(written(t, report.Text, d.Data)): "What variants are worth",
		string(written(t, ClaimsText, d)):       "one allocation less",
		string(written(t, ClaimsJSON, d)):       `"what": "one allocation less"`,
	} {
		if !strings.Contains(form, want) {
			t.Errorf("no %q in:\n%s", want, form)
		}
	}
}

func TestVariantErrors(t *testing.T) {
	for _, c := range []struct{ in, out, want string }{
		{`levels = ["c10", "c20"]`, `levels = ["c11"]`, `no level "c11" in this study`},
		{`levels = ["c10"]`, `levels = ["late"]`, `the level "late" does not load odd`},
		{`of     = "slow"`, `of     = "fast"`, `a variant needs "is" and "of"`},
	} {
		text := fakeStudy + strings.Replace(fakeVariants, c.in, c.out, 1)
		_, err := Read(project(map[string]string{"study.toml": text}), "fake")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "study.toml:") {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
}

// A level may have contestants that no other level loads.
func TestContestantsOfOneLevel(t *testing.T) {
	text := strings.Replace(fakeStudy, `contestants = ["fast", "slow"]`, `contestants = ["fast", "slow", "lone"]`, 1)
	st, err := Read(project(map[string]string{"study.toml": text}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	q := st.Ask(Choice{})
	on := map[int]bool{}
	for _, c := range q.Cells {
		if c.Contestant == "lone" {
			on[c.Level] = true
		}
	}
	if len(on) != 1 || !on[2] || len(q.Contestants) != 5 {
		t.Errorf("loaded at %v, contestants %v; want level 2 alone", on, q.Contestants)
	}
	text = strings.Replace(text, `"lone"`, `"loan"`, 1)
	if _, err = Read(project(map[string]string{"study.toml": text}), "fake"); err == nil ||
		!strings.Contains(err.Error(), `no contestant "loan" in this project`) {
		t.Error(err)
	}
}
