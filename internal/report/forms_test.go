package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestForms(t *testing.T) {
	for name, f := range fixtures {
		golden(t, name+".json", written(t, JSON, f()))
		golden(t, name+".md", written(t, Markdown, f()))
		golden(t, name+".csv", written(t, CSV, f()))
	}
}

// Every form is a function of its data: twice the same bytes, the data untouched, and no crash on none.
func TestFormsArePure(t *testing.T) {
	for name, w := range Formats {
		d := fixture()
		first := written(t, w, d)
		if !bytes.Equal(first, written(t, w, d)) {
			t.Errorf("%s: two writings of one run differ", name)
		}
		if len(written(t, w, &Data{})) == 0 {
			t.Errorf("%s: nothing is written of an empty run", name)
		}
	}
}

// A contestant is never missing, whatever became of it.
func TestEveryContestantInEveryForm(t *testing.T) {
	for name, w := range Formats {
		for fixtureName, f := range fixtures {
			d := f()
			if fixtureName == "full" {
				d.Analysis.Order = d.Analysis.Order[:3] // an analysis that forgot some
			}
			got := string(written(t, w, d))
			v := newView(d)
			for _, c := range d.Run.Plan.Contestants {
				if !strings.Contains(got, c) && !strings.Contains(got, v.title(c)) {
					t.Errorf("%s of %s: %q is missing", name, fixtureName, c)
				}
			}
			if len(d.Run.Failures) > 0 && !strings.Contains(got, "needs .NET SDK") {
				t.Errorf("%s of %s: why a contestant is unavailable is missing", name, fixtureName)
			}
		}
	}
}

func TestJSONHostile(t *testing.T) {
	for _, d := range []*Data{hostile(), fixture(), early(), nothing(), {}} {
		var into struct {
			Format      int
			Contestants []struct {
				Name    string
				Metrics map[string]map[string]any
			}
		}
		if err := json.Unmarshal(written(t, JSON, d), &into); err != nil {
			t.Fatal(err)
		}
		if into.Format != JSONFormat || d.Run != nil && len(into.Contestants) == 0 {
			t.Errorf("read back as %+v", into)
		}
	}
}

func TestJSONNulls(t *testing.T) {
	got := string(written(t, JSON, early()))
	for _, want := range []string{`"hi_per_sec": null`, `"hi_ratio": null`, `"lo_per_sec": null`, `"lo_ratio": 0`, `"mde_ratio": null`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in the JSON of a run before its first look", want)
		}
	}
}

func TestCSVShape(t *testing.T) {
	for _, d := range []*Data{hostile(), fixture(), early(), nothing()} {
		rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, d))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		v := newView(d)
		want := 1 + (len(v.rows)+len(v.controls))*len(v.metrics)
		for _, r := range slices.Concat(v.rows, v.controls) {
			for _, c := range startColumns {
				if r.Struck == "" && c.Of(r.Starts).N > 0 {
					want++
				}
			}
		}
		if len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
	}
}

// Each table line of Markdown has as many bars as its head, so no text can break out of its field.
func TestMarkdownHostile(t *testing.T) {
	got := string(written(t, Markdown, hostile()))
	want := 0
	for _, l := range strings.Split(got, "\n") {
		if !strings.HasPrefix(l, "|") {
			continue
		}
		n := strings.Count(l, "|") - strings.Count(l, `\|`)
		if want == 0 {
			want = n
		}
		if n != want {
			t.Errorf("%d bars, want %d: %s", n, want, l)
		}
	}
	before, _, _ := strings.Cut(got, "To repeat:")
	if before, _, _ = strings.Cut(before, "Seed"); strings.Contains(before, "<script") || strings.ContainsRune(before, '\x1b') {
		t.Errorf("markup passed through:\n%s", before)
	}
}
