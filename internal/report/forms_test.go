package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/wire"
)

func TestForms(t *testing.T) {
	for name, f := range fixtures {
		golden(t, name+".json", written(t, JSON, f()))
		golden(t, name+".csv", written(t, CSV, f()))
	}
	golden(t, "full.md", written(t, Markdown, fixture()))
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
			v := NewView(d)
			for _, c := range d.Run.Plan.Contestants {
				if !strings.Contains(got, c) && !strings.Contains(got, v.Title(c)) {
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
			Format            int
			Contestants, Rows []map[string]any
		}
		if err := json.Unmarshal(written(t, JSON, d), &into); err != nil {
			t.Fatal(err)
		}
		if into.Format != jsonFormat || d.Run != nil && len(into.Contestants)*len(into.Rows) == 0 {
			t.Errorf("read back as %+v", into)
		}
	}
}

func TestJSONNulls(t *testing.T) {
	got := string(written(t, JSON, early()))
	for _, want := range []string{`"hi_ratio": null`, `"lo_ratio": 0`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in the JSON of a run before its first look", want)
		}
	}
}

// Every kind of run has one head row, a row for each figure of each contestant, and none twice.
func TestCSVShape(t *testing.T) {
	for i, d := range []*Data{hostile(), fixture(), early(), nothing(), extraLevelsFixture(), sweepFixture(6),
		familyFixture(),
		classicFixture()} {
		rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, d))).ReadAll()
		if err != nil || !slices.Equal(rows[0], csvHead) {
			t.Fatal(rows[0], err)
		}
		figures, of := map[string]bool{}, map[string]bool{}
		for _, r := range rows[1:] {
			if key := strings.Join(r[:3], "|"); figures[key] {
				t.Errorf("%d: %s twice", i, key)
			}
			figures[strings.Join(r[:3], "|")], of[r[0]+"|"+r[2]] = true, true
			if measured := !slices.Contains([]string{"", "absent", "excluded"},
				r[11]); measured == (strings.Join(r[4:11], "") == "") {
				t.Errorf("%d: %q", i, r)
			}
		}
		v := NewView(d)
		for _, r := range slices.Concat(v.rows, v.controls) {
			for _, m := range v.metrics {
				if d.Run.Plan.Processes != record.PerLoad && !of[document.CSVCell(r.Name)+"|"+m.Name] {
					t.Errorf("%d: no %s of %s", i, m.Name, r.Name)
				}
			}
		}
	}
}

// tidy checks that each line of a table in Markdown has as many bars as its head.
func tidy(t *testing.T, name, markdown string) {
	t.Helper()
	want := 0
	for _, l := range strings.Split(markdown, "\n") {
		n := strings.Count(l, "|") - strings.Count(l, `\|`)
		switch {
		case !strings.HasPrefix(l, "|"):
			want = 0
		case want == 0:
			want = n
		case n != want:
			t.Errorf("%s: %d bars, want %d: %s", name, n, want, l)
		}
	}
}

// Each table line of Markdown has as many bars as its head, so no text can break out of its field.
func TestMarkdownHostile(t *testing.T) {
	got := string(written(t, Markdown, hostile()))
	tidy(t, "hostile", got)
	before, _, _ := strings.Cut(got, "```")
	if strings.Contains(before, "<script") || strings.ContainsRune(before, '\x1b') {
		t.Errorf("markup passed through:\n%s", before)
	}
}

// detailed is the writer of a form, with all details.
func detailed(form string) Writer {
	if form == "text" {
		return inFull
	}
	return Formats[form]
}

// What the machine cannot measure stands in every form for people.
func TestWhatIsMissingIsSaid(t *testing.T) {
	for _, f := range []func() *Data{fixture, classicFixture, func() *Data { return sweepFixture(6) }} {
		for _, form := range []string{"text", "html", "markdown"} {
			d := f()
			d.Run.Host.Absent = map[string]string{"instructions": "not allowed"}
			d.Width = 400
			got := strings.NewReplacer("</span>", "").Replace(strings.NewReplacer(
				"\u00a0", " ", ":** ", ": ", "**", "").Replace(string(written(t, detailed(form), d))))
			const want = "Not measured here: instructions (not allowed)"
			if !strings.Contains(got, want) {
				t.Errorf("%s of a %q: no %q", form, d.Run.Plan.Origin.Command, want)
			}
		}
	}
	if got := string(written(t, inFull, fixture())); strings.Contains(got, "Not measured") {
		t.Error("said of a run of which it is not true")
	}
}

// A metric that only some runs have is in every form of those, and in none of the others.
func TestFurtherMetric(t *testing.T) {
	const name = "instructions_per_request"
	d := fixture()
	for _, c := range d.Run.Plan.Contestants {
		d.Analysis.Cells = append(d.Analysis.Cells, judge.Cell{Contestant: c, Metric: name,
			Level: judge.Estimate{Value: 34_567, Lo: 34_000, Hi: 35_000, N: 12}})
	}
	for form, want := range map[string]string{"text": "instr./req", "html": "instr./req", "markdown": "instr./req",
		"json": `"value": 34567`, "csv": name} {
		if !strings.Contains(string(written(t, detailed(form), d)), want) {
			t.Errorf("%s: no %q", form, want)
		}
		if strings.Contains(string(written(t, detailed(form), fixture())), want) {
			t.Errorf("%s: %q in a run that has none", form, want)
		}
	}
}

// A contestant may negotiate another session for each protocol.
func TestEncryptionByContestant(t *testing.T) {
	d := fixture()
	name := d.Run.Plan.Contestants[0]
	for form, version := range map[wire.HTTP]string{wire.HTTPS: "TLS 1.2", wire.H2: "TLS 1.3"} {
		d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: name, Level: &record.Level{HTTP: form},
			Load: record.Load{TLS: []record.TLSSession{{Version: version, Suite: "x", Resumed: true}, // names no group
				{Version: version, Suite: "x", Group: "X25519"}}}})
	}
	title := NewView(d).Title(name)
	want := "TLS 1.2, x, X25519 (" + title + "); TLS 1.3, x, X25519 (" + title + ")"
	if got := NewView(d).encryption(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The protocol of a level, what it negotiated and who does not serve it stand in every form for people.
func TestProtocolIsSaid(t *testing.T) {
	for _, f := range []func() *Data{fixture, classicFixture, func() *Data { return sweepFixture(6) }} {
		for _, form := range []string{"text", "html", "markdown"} {
			d := f()
			d.Width, d.Run.Plan.Levels[0].HTTP = 400, wire.H2
			for i := range d.Levels {
				d.Levels[i].At.HTTP = wire.H2
			}
			name := d.Run.Plan.Contestants[0]
			d.Run.Plan.Servers.Unserved = []record.Unserved{{Contestant: "elsewhere", HTTP: wire.H2}}
			d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: name, Load: record.Load{
				TLS: []record.TLSSession{{Version: "TLS 1.3", Suite: "TLS_AES_128_GCM_SHA256", Connections: 5}}}})
			got := strings.NewReplacer("</span>", "").Replace(strings.NewReplacer(
				"\u00a0", " ", ":** ", ": ", "**", "", `\_`, "_").Replace(string(written(t, detailed(form), d))))
			for _, want := range []string{"HTTP/2 over TLS", "Not measured: elsewhere in HTTP/2 over TLS",
				"Encryption: TLS 1.3, TLS_AES_128_GCM_SHA256"} {
				if !strings.Contains(got, want) {
					t.Errorf("%s of a %q: no %q", form, d.Run.Plan.Origin.Command, want)
				}
			}
		}
	}
	if got := string(written(t, inFull, fixture())); strings.Contains(got, "Encryption") || strings.Contains(got, "TLS") {
		t.Error("said of a run of which it is not true")
	}
}
