package study

import (
	"bytes"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// A run that continued on another machine says in every form which epochs each machine measured.
func TestPartsOfARun(t *testing.T) {
	r := sweepRequest()
	r.Epochs = 6
	run := carriedOut(t, planned(t, r), func(plan.Order, *record.Trial) {})
	run.Host = record.Host{CPU: "EPYC", CPUs: 2, Kernel: "Linux 6.18.1-a", BootID: "one", MemoryBytes: 8 << 30}
	run.Plan.Origin.Dyno = "1.0"
	if p := Evaluate(run).Parts; p != nil {
		t.Errorf("of one machine: %+v", p)
	}
	epochs := plan.Epochs(run)
	if len(epochs) != 12 {
		t.Fatalf("epochs %v", epochs)
	}
	other := run.Host
	other.Kernel, other.BootID = "Linux 6.18.2-b", "two"
	same := other
	same.FileLimit = 7 // of the same start
	run.Resumes = []record.Resume{{Epoch: epochs[2]}, {Epoch: epochs[7], Host: &other, Dyno: "1.1"},
		{Epoch: epochs[9], Host: &same}, {Epoch: epochs[11] + 1, Host: &run.Host}}
	d := Evaluate(run)
	want := []judge.Part{{Host: &run.Host, Dyno: "1.0", First: 1, Last: 7},
		{Host: &other, Dyno: "1.1", First: 8, Last: 12},
		{Host: &run.Host, Dyno: "1.1", First: 13, Last: 12}}
	if len(d.Parts) != len(want) {
		t.Fatalf("%+v", d.Parts)
	}
	for i, p := range d.Parts {
		if p.First != want[i].First || p.Last != want[i].Last || p.Dyno != want[i].Dyno ||
			p.Host.BootID != want[i].Host.BootID {
			t.Errorf("part %d: %+v, want %+v", i, p, want[i])
		}
	}
	const text = "measured on 3 machines of the same kind, or after that many starts of one: valid epochs " +
		"1–7 (Linux 6.18.1-a, 8.00 GiB), 8–12 (Linux 6.18.2-b, 8.00 GiB, dyno 1.1, whose reference servers " +
		"may differ), " +
		"no epoch (Linux 6.18.1-a"
	for name, write := range map[string]report.Writer{"text": report.Text, "page": report.HTML,
		"markdown": report.Markdown} {
		var b bytes.Buffer
		full := *d
		full.Verbose = true
		if err := write(&b, &full); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, text) {
			t.Errorf("%s does not say so", name)
		}
	}
	other.CPU = "Xeon"
	d = Evaluate(run)
	d.Verbose = true
	var b bytes.Buffer
	if err := report.Text(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"measured on 3 machines with different CPUs", "8–12 (Xeon, Linux 6.18.2-b, 8.00 GiB,",
		"figures are means over epochs on different CPUs (EPYC; Xeon)"} {
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, text) {
			t.Errorf("the text does not say %q", text)
		}
	}
	b.Reset()
	if err := Readme(&b, &Judged{Data: d, Claims: &Claims{}}); err != nil || !strings.Contains(b.String(), "EPYC; "+
		"Xeon, 2 CPUs") {
		t.Errorf("%v\n%s", err, &b)
	}
	b.Reset()
	if err := report.JSON(&b, d); err != nil || !strings.Contains(b.String(), `"first_valid_epoch": 8,`) {
		t.Errorf("%v\n%s", err, &b)
	}
}
