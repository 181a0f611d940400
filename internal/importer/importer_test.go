package importer

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// dump prints everything that was read, one figure a line.
func dump(d *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d figures\n", filepath.Base(d.Name), d.Format, d.Printed())
	for _, r := range d.Rows {
		fmt.Fprintf(&b,
			"row: tool=%s contestant=%q scenario=%q connections=%d depth=%d delay=%gs planned=%gs open=%t "+
				"per_request=%t\n",
			r.Tool, r.Contestant, r.Scenario, r.Connections, r.Depth, r.Delay, r.Planned, r.Open, r.PerRequest)
		for _, f := range r.Figures {
			note := ""
			if f.Derived {
				note = "  derived"
			}
			fmt.Fprintf(&b, "  %d:%d %s %q = %.6g %s (%.6g–%.6g)%s\n", f.Line, f.Column, f.Metric, f.Text, f.Value,
				f.Unit, f.Lo, f.Hi, note)
		}
	}
	for _, t := range d.Troubles {
		fmt.Fprintf(&b, "trouble %d:%d %s\n", t.Line, t.Column, t.Text)
	}
	return b.String()
}

// TestOutputs reads output that the tools printed here, and a results.json in TechEmpower's form,
// and compares it with the figures that a person read.
func TestOutputs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := Read(file, data, "")
			if err != nil {
				t.Fatal(err)
			}
			got := dump(doc)
			if *update {
				if err := os.WriteFile(file+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			checkPlaces(t, doc, data)
		})
	}
}

// checkPlaces checks that every figure is at its recorded place.
func checkPlaces(t *testing.T, doc *Document, data []byte) {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	for _, r := range doc.Rows {
		for _, f := range r.Figures {
			if f.Derived || f.Missing || f.Prose || strings.HasSuffix(doc.Name, ".csv") {
				continue
			}
			if f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > len(lines[f.Line-1])+1 {
				t.Fatalf("%s %q is said to be at %s", f.Metric, f.Text, f.Place)
			}
			first := strings.Fields(f.Text)[0]
			if at := strings.Trim(lines[f.Line-1][f.Column-1:], `" `); !strings.HasPrefix(at, first) &&
				doc.Format != "text" {
				t.Errorf("%s: %q does not begin %q", f.Place, at, first)
			}
		}
	}
}

func TestLongTable(t *testing.T) {
	doc, err := Read("t.csv", []byte("name,c,metric,value,unit,ref\n"+
		"a,10,rps,1000,req/s,abc:rate.csv\n"+
		"a,10,latency_mean,9.9,ms,abc:latency.csv\n"+
		"a,10,rps,fast,req/s,abc:rate.csv\n"+
		"a,10,p99\n"+
		"\"b,10,rps\n"+
		""), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Rows) != 1 || len(doc.Rows[0].Figures) != 2 || doc.Rows[0].Connections != 10 ||
		doc.Rows[0].Edition != "abc" {
		t.Fatalf("%s", dump(doc))
	}
	want := []string{`t.csv:4:10: rps: "fast" is not a number`, "t.csv:5:1: 3 cells; the header has 6", "t.csv:6:"}
	if len(doc.Troubles) != len(want) {
		t.Fatalf("%v", doc.Troubles)
	}
	for i, w := range want {
		if !strings.HasPrefix(doc.Troubles[i].String(), w) {
			t.Errorf("%s, want %s", doc.Troubles[i], w)
		}
	}
}

func TestWideTable(t *testing.T) {
	doc, err := Read("t.csv",
		[]byte("Framework;Connections;Requests/sec;Latency (ms);p99_us;notes\r\nx;50;1200;41.5;99000;-\r\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Rows) != 1 {
		t.Fatal(dump(doc))
	}
	var got []string
	for _, f := range doc.Rows[0].Figures {
		got = append(got, fmt.Sprintf("%s %.5g %s", f.Metric, f.Value, f.Unit))
	}
	if want := []string{"rps 1200 1/s", "latency_mean 0.0415 s", "p99 0.099 s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNewH2load reads the table that h2load prints since 1.69 (output_sd_stat in its
// src/h2load.cc).
func TestNewH2load(t *testing.T) {
	doc, err := Read("new.txt", []byte("starting benchmark...\nfinished in 2.00s, 1000.00 req/s, 145.30KB/s\n"+
		"                 min         max         median     p95        p99        mean         sd        +/- sd\n"+
		"request     :       10us     40.00ms      1.50ms      5.00ms      9.00ms      2.00ms       700us   90.00%\n"+
		"connect     :       20us      1.00ms       500us       800us       900us       500us       100us   90.00%\n"),
		"")
	if err != nil || len(doc.Rows) != 1 {
		t.Fatal(err, doc)
	}
	for metric, want := range map[string]float64{"latency_min": 10e-6, "latency_max": 0.04, "p50": 1.5e-3, "p95": 5e-3,
		"p99": 9e-3, "latency_mean": 2e-3, "latency_stdev": 700e-6} {
		if f := doc.Rows[0].One(Seconds, metric); f == nil || math.Abs(f.Value-want) > 1e-12 {
			t.Errorf("%s: %+v, want %g s", metric, f, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	for content, want := range map[string]string{
		"":                      "none of csv",
		"hello":                 "none of csv",
		"a,b\n1,2\n":            "want the columns metric and value",
		`{"a":1}`:               "none of csv",
		`{"rawData":{}}`:        "concurrencyLevels is missing",
		`{"rawData":`:           "line 1, column",
		"Running 1s test @ x\n": "no figures found",
	} {
		if _, err := Read("x", []byte(content), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.*")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 1<<14 {
			f.Add(data, uint8(0))
		}
	}
	f.Add([]byte("name,c,metric,value,unit\na,10,rps,1e9k,req/s\n\"\n"), uint8(1))
	f.Add([]byte("a;rps;p99 (ms)\n;1,2;~3-4s\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, format uint8) {
		name := ""
		if i := int(format) % (len(Formats) + 1); i > 0 {
			name = Formats[i-1]
		}
		doc, err := Read("f", data, name)
		if err != nil {
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, r := range doc.Rows {
			if r.Depth < 1 || r.Connections < 0 || !(r.Delay >= 0) {
				t.Errorf("%+v", r)
			}
			for _, fig := range r.Figures {
				ordered := fig.Lo <= fig.Value && fig.Value <= fig.Hi
				if fig.Missing || fig.Many > 0 {
					ordered = fig.Value != fig.Value
				}
				if !ordered || fig.Row != r || fig.Line < 0 || fig.Line > lines || fig.Missing && fig.Many > 0 {
					t.Errorf("%+v", fig)
				}
			}
		}
	})
}
