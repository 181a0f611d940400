package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/importer"
)

// load is a load in an article, as bombardier printed it.
type load struct {
	who          string
	n            int
	time         string
	rate         [3]float64
	latency      [3]string
	mb           float64
	path         string
	ms           [3]float64 // latencies
	wholeSeconds int        // time in s
	notRequests  bool       // the rate is a mean over samples, and 6 % below requests ÷ time
}

// iris are the loads in both versions of the Iris article, by test, with 125 connections.
var iris = map[string][]load{
	"mvc": {
		{"AddMvc", 5000000, "2m8s", [3]float64{39311.56, 11744.49, 264000}, [3]string{"3.19ms", "1.61ms", "229.73ms"},
			8.61, "/api/values/5", [3]float64{3.19, 1.61, 229.73}, 128, false},
		{"AddMvcCore", 5000000, "2m3s", [3]float64{40226.03, 8724.30, 161919}, [3]string{"3.09ms", "1.40ms", "169.12ms"},
			8.91, "/api/values/5", [3]float64{3.09, 1.40, 169.12}, 123, false},
		{"Iris MVC", 5000000, "47s", [3]float64{105643.81, 7687.79, 122564}, [3]string{"1.18ms", "366.55us", "22.01ms"},
			19.65, "/api/values/5", [3]float64{1.18, 0.36655, 22.01}, 47, false},
	},
	"handlers 5M": {
		{"Iris", 5000000, "45s", [3]float64{110809.98, 8209.87, 128212}, [3]string{"1.13ms", "307.86us", "18.02ms"},
			20.61, "/api/values/5", [3]float64{1.13, 0.30786, 18.02}, 45, false},
	},
	"templates": {
		{".NET Core MVC", 1000000, "1m20s", [3]float64{11738.60, 7741.36, 125887}, [3]string{"10.10ms", "22.10ms", "1.97s"},
			89.03, "/", [3]float64{10.10, 22.10, 1970}, 80, true},
		{"Iris MVC", 1000000, "37s", [3]float64{26656.76, 1944.73, 31188}, [3]string{"4.69ms", "1.20ms", "22.52ms"},
			192.51, "/", [3]float64{4.69, 1.20, 22.52}, 37, false},
	},
	"handlers": {
		{"Kestrel", 1000000, "10s", [3]float64{97884.57, 8699.94, 110509}, [3]string{"1.28ms", "682.63us", "61.04ms"},
			17.73, "/api/values/5", [3]float64{1.28, 0.68263, 61.04}, 10, false},
		{"Iris", 1000000, "8s", [3]float64{117917.79, 4437.04, 125614}, [3]string{"1.06ms", "278.12us", "19.03ms"},
			21.93, "/api/values/5", [3]float64{1.06, 0.27812, 19.03}, 8, false},
	},
	"sessions": {
		{"Kestrel", 5000000, "2m40s", [3]float64{31844.77, 13856.19, 253746}, [3]string{"4.02ms", "15.57ms", "0.96s"},
			14.51, "/setget", [3]float64{4.02, 15.57, 960}, 160, false},
		{"Iris", 5000000, "1m15s", [3]float64{66749.70, 32110.67, 110445}, [3]string{"1.88ms", "9.13ms", "1.94s"},
			20.65, "/setget", [3]float64{1.88, 9.13, 1940}, 75, false},
	},
}

// bombardier prints a load as bombardier does; word ends the texts about requests and connections.
func (l load) bombardier(word string) string {
	bar := fmt.Sprintf(" %d / %d [==================================] 100.00%% %s\n", l.n, l.n, l.time)
	return fmt.Sprintf("Bombarding http://localhost:5000%s with %d request%s using 125 "+
		"connection%s\n%sDone!\n", l.path, l.n,
		word, word, bar) +
		"Statistics        Avg      Stdev        Max\n" +
		fmt.Sprintf("  Reqs/sec  %11.2f %10.2f %10.0f\n", l.rate[0], l.rate[1], l.rate[2]) +
		fmt.Sprintf("  Latency   %11s %10s %10s\n", l.latency[0], l.latency[1], l.latency[2]) +
		"  HTTP codes:\n" +
		fmt.Sprintf("    1xx - 0, 2xx - %d, 3xx - 0, 4xx - 0, 5xx - 0\n", l.n) +
		"    others - 0\n" +
		fmt.Sprintf("  Throughput:  %.2fMB/s\n", l.mb)
}

// printed are forms in which pages show an output.
var printed = map[string]func(string) string{
	"as it is":       func(s string) string { return s },
	"em dashes":      strings.NewReplacer(" - ", " — ").Replace,
	"en dashes":      strings.NewReplacer(" - ", " – ").Replace,
	"minus signs":    strings.NewReplacer(" - ", " − ").Replace,
	"fixed spaces":   strings.NewReplacer("  ", "\u00a0\u00a0").Replace,
	"Windows":        strings.NewReplacer("\n", "\r\n").Replace,
	"indented":       func(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") },
	"quoted":         func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
	"single spaces":  func(s string) string { return single(s, false) },
	"no indentation": func(s string) string { return single(s, true) },
	"a progress bar": strings.NewReplacer(" 1000000 / 1000000", " 10 / 1000000 [>---] 0.00%\r 1000000 / 1000000").Replace,
	"Greek letters":  strings.NewReplacer("us ", "μs ").Replace,
}

// single replaces runs of blanks by one.
func single(s string, trim bool) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lead := " "
		if trim || l == strings.TrimLeft(l, " ") {
			lead = ""
		}
		lines[i] = lead + strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

// outputs prints loads one after the other.
func outputs(loads []load, one func(load) string) string {
	var b strings.Builder
	for _, l := range loads {
		b.WriteString(one(l))
	}
	return b.String()
}

// layouts are forms in which tables show loads. Each has requests, time, rate and latency.
var layouts = map[string]struct {
	name string
	form func([]load) string
}{
	"Markdown, units in cells": {"t.md", func(loads []load) string {
		return "## bombardier -c 125\n\n| Framework | Requests | Time | Requests/sec | Average | Max latency | Notes |\n" +
			"|---|--:|--:|--:|--:|--:|---|\n" + outputs(loads, func(l load) string {
			return fmt.Sprintf("| **%s** | %d | %s | %.2f | %.2f ms | %.2f ms | – "+
				"|\n", l.who, l.n, l.time, l.rate[0], l.ms[0], l.ms[2])
		})
	}},
	"Markdown, thousands apart": {"t.md", func(loads []load) string {
		return "| Server | Concurrency | Total requests | Time (s) | Req/s | Latency (ms) |\n|---|---|---|---|---|---|\n" +
			outputs(loads, func(l load) string {
				n := fmt.Sprintf("%d\u202f000\u202f000", l.n/1000000)
				return fmt.Sprintf("| %s | 125 | %s | %d | %.0f | %.2f |\n", l.who, n, l.wholeSeconds, l.rate[0], l.ms[0])
			})
	}},
	"CSV, units in the header": {"t.csv", func(loads []load) string {
		return "name,connections,requests,time_s,rps,latency_ms,latency_stdev_ms,latency_max_ms,status_2xx\n" +
			outputs(loads, func(l load) string {
				return fmt.Sprintf("%s,125,%d,%d,%.2f,%.2f,%g,%g,%[2]d\n", l.who, l.n, l.wholeSeconds, l.rate[0],
					l.ms[0], l.ms[1], l.ms[2])
			})
	}},
	"CSV of semicolons": {"t.csv", func(loads []load) string {
		return "Framework;c;n;Elapsed;QPS;Avg latency\n" + outputs(loads, func(l load) string {
			return fmt.Sprintf("%s;125;%d;%s;%.2f;%.2fms\n", l.who, l.n, l.time, l.rate[0], l.ms[0])
		})
	}},
	"CSV of tabs": {"t.tsv", func(loads []load) string {
		return "contestant\tload\trps_mean\tlatency_mean\ttime\n" + outputs(loads, func(l load) string {
			return fmt.Sprintf("%s\tbombardier -c 125 -n %d\t%.2f\t%.2fms\t%s\n", l.who, l.n, l.rate[0], l.ms[0], l.time)
		})
	}},
	"CSV, a figure a line": {"t.csv", func(loads []load) string {
		return "name,c,load,metric,value,unit\n" + outputs(loads, func(l load) string {
			var b strings.Builder
			for _, f := range []string{
				fmt.Sprintf("rps_mean,%.2f,req/s", l.rate[0]), fmt.Sprintf("rps_stdev,%.2f,req/s", l.rate[1]),
				fmt.Sprintf("rps_max,%.0f,req/s", l.rate[2]), fmt.Sprintf("latency_mean,%.2f,ms", l.ms[0]),
				fmt.Sprintf("latency_max,%.2f,ms", l.ms[2]), fmt.Sprintf("time,%d,s", l.wholeSeconds),
			} {
				fmt.Fprintf(&b, "%s,125,bombardier -n %d,%s\n", l.who, l.n, f)
			}
			return b.String()
		})
	}},
	"JSON": {"t.json", func(loads []load) string {
		list := outputs(loads, func(l load) string {
			return fmt.Sprintf(`{"framework":%q,"rps":%.0f,"avg_latency":"%.2fms","connections":125,"duration":"%ds","status_2xx":%d},`,
				l.who, l.rate[0], l.ms[0], l.wholeSeconds, l.n)
		})
		return "[" + strings.TrimSuffix(list, ",") + "]"
	}},
}

// judged reads and judges one file.
func judged(t *testing.T, name, content string) *Report {
	t.Helper()
	doc, err := importer.Read(name, []byte(content), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	if len(doc.Troubles) > 0 {
		t.Errorf("%v\n%s", doc.Troubles, content)
	}
	return Examine([]*importer.Document{doc})
}

// holdSound fails if an article's figure is not sound. Two findings are allowed for sound figures:
// that a rate is a mean over samples, with its consequences, and that bodies have different
// lengths.
func holdSound(t *testing.T, j *Report, loads []load) {
	t.Helper()
	if n := len(j.Documents[0].Rows); n != len(loads) {
		t.Errorf("%d rows of %d loads", n, len(loads))
	}
	sampled := slices.ContainsFunc(loads, func(l load) bool { return l.notRequests })
	for _, f := range j.Findings {
		allowed := sampled && (f.Kind == "rate is not requests ÷ time" || f.Kind == "not all connections in use") ||
			f.Kind == "bodies of different length"
		if f.Verdict == Impossible || f.Verdict == Doubtful && !allowed {
			t.Errorf("%s: %s: %s", f.Verdict, f.Kind, f.Text)
		}
	}
	for _, r := range j.Documents[0].Rows {
		rated := slices.ContainsFunc(r.Figures, func(f *importer.Figure) bool {
			return strings.HasPrefix(f.Metric, "rps") && f.Value > 0 && verdict(f) >= Sound
		})
		if !rated {
			t.Errorf("%s: no rate was checked", name(r))
		}
	}
}

// TestArticles: the articles' figures are sound, in every form.
func TestArticles(t *testing.T) {
	for test, loads := range iris {
		for page, form := range printed {
			for _, word := range []string{"(s)", "s"} {
				t.Run(test+", "+page+", "+word, func(t *testing.T) {
					out := outputs(loads, func(l load) string { return l.bombardier(word) })
					holdSound(t, judged(t, "out.txt", form(out)), loads)
				})
			}
		}
		t.Run(test+", without a banner", func(t *testing.T) {
			out := outputs(loads, func(l load) string {
				_, rest, _ := strings.Cut(l.bombardier("s"), "\n")
				return fmt.Sprintf("$ bombardier -c 125 -n %d http://localhost:5000%s\n%s", l.n, l.path, rest)
			})
			holdSound(t, judged(t, "out.txt", out), loads)
		})
		for layout, table := range layouts {
			t.Run(test+", "+layout, func(t *testing.T) { holdSound(t, judged(t, table.name, table.form(loads)), loads) })
		}
	}
}

// TestArticleWrong: in the Iris article, only the templates' 1.18 ms are impossible.
func TestArticleWrong(t *testing.T) {
	wrong := slices.Clone(iris["templates"])
	wrong[1].ms, wrong[1].latency[0] = [3]float64{1.18, 0.36655, 22.52}, "1.18ms"
	check := func(j *Report) {
		t.Helper()
		bad := 0
		for _, f := range j.Findings {
			if f.Verdict != Impossible {
				continue
			}
			if bad++; f.Rule != "R2" || !strings.Contains(f.Text, "× 1.18") || !strings.Contains(f.Text, "= 31 "+
				"requests in flight") &&
				!strings.Contains(f.Text, "= 32 requests in flight") {
				t.Errorf("%s: %s", f.Kind, f.Text)
			}
		}
		if bad == 0 {
			t.Error("1.18 ms are not found to be impossible")
		}
	}
	for _, table := range layouts {
		check(judged(t, table.name, table.form(wrong)))
	}
	check(judged(t, "out.txt", outputs(wrong, func(l load) string { return l.bombardier("s") })))
}

// TestOtherArticles: the outputs in the memory article, and the rates in the framework article.
func TestOtherArticles(t *testing.T) {
	data, err := os.ReadFile("../importer/testdata/ab-two-runs.txt")
	if err != nil {
		t.Fatal(err)
	}
	two, bannered := make([]load, 2), ""
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "Server Software:") {
			bannered += "This is ApacheBench, Version 2.3 <$Revision: 1807734 $>\n"
		}
		bannered += line
	}
	uncommanded := strings.NewReplacer("$ ab -n 6000 -c 300 http://127.0.0.1:8083/index\n", "",
		"$ ab -n 6000 -c 300 http://127.0.0.1:8081/index\n", "")
	for page, form := range printed {
		t.Run("ab, "+page, func(t *testing.T) {
			holdSound(t, judged(t, "ab.txt", form(string(data))), two)
			holdSound(t, judged(t, "ab.txt", form(bannered)), two)
			holdSound(t, judged(t, "ab.txt", form(uncommanded.Replace(bannered))), two)
			holdSound(t, judged(t, "ab.txt", form(uncommanded.Replace(string(data)))), two)
		})
	}
	holdSound(t, judged(t, "ab.md", "### `ab -n 6000 -c 300`, sleep 200 ms\n\n| server | time | req/s | Mean "+
		"latency | 50% | 99% | max latency |\n"+
		"|---|---|---|---|---|---|---|\n| fasthttp | 4.371 s | 1372.81 | 215 ms | 217 ms | 235 ms | 246 ms |\n"+
		"| httprouter | 4.343 s | 1381.60 | 214 ms | 211 ms | 236 ms | 243 ms |\n"), two)

	// Rates with sleeps of 0, 10, 100 and 500 ms at 5,000 connections, measured on 20 April 2016.
	rates := map[string][4]string{
		"default":      {"56227.43", "38862.08", "35630.54", "9164.68"},
		"gin":          {"57216.31", "38875.89", "34698.10", "9269.79"},
		"iris":         {"82634.37", "49681.39", "41509.22", "9120.44"},
		"fasthttp-raw": {"84427.55", "50329.37", "43848.47", "9337.16"},
		"possum":       {"35454.39", "29783.02", "27851.32", "9299.63"},
	}
	for i, sleep := range []string{"0 ms", "10 ms", "100 ms", "500 ms"} {
		md := "## wrk -t16 -c5000 -d30s, sleep " + sleep + "\n\n| framework | Requests/sec |\n|---|---|\n"
		for who, r := range rates {
			md += "| " + who + " | " + r[i] + " |\n"
			out := "  Running 30s test @ http://127.0.0.1:8080/hello\n    16 threads and 5000 connections\n  " +
				"Requests/sec:  " + r[i] + "\n"
			for _, f := range judged(t, "wrk.txt", out+out).Findings {
				if f.Verdict > Sound {
					t.Errorf("%s %s: %s: %s", who, sleep, f.Kind, f.Text)
				}
			}
		}
		j := judged(t, "rates.md", md)
		for _, f := range j.Findings {
			if f.Verdict > Sound {
				t.Errorf("%s: %s: %s", sleep, f.Kind, f.Text)
			}
		}
		for _, r := range j.Documents[0].Rows {
			if r.Connections != 5000 || r.Planned != 30 || i > 0 && r.Delay == 0 {
				t.Errorf("%s: %d connections, %g s, a delay of %g s", sleep, r.Connections, r.Planned, r.Delay)
			}
		}
	}
}

// TestCases: files that were once read wrongly, and the impossible figures in each.
func TestCases(t *testing.T) {
	for file, want := range map[string][]string{
		"ab-two-runs.txt":       nil,
		"bombardier-dashes.txt": nil,
		"httparena-list.json":   nil,
		"httparena-one.json": {"872,225 ÷ 5s = 174,445/s, but the rate is 87,222/s; with 11.63ms and one " +
			"request at a time"},
		"p50-above-p99.md": {"p50 is 49.1 ms, but p99 is 12.1 ms", "a mean of 9.69 ms, but the quantiles " +
			"allow 24.2 ms and more"},
		"h2load-streams.txt": nil,
	} {
		data, err := os.ReadFile(filepath.Join("../importer/testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range judged(t, file, string(data)).Findings {
			if f.Verdict == Impossible {
				got = append(got, f.Text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q", file, got)
			continue
		}
		for _, w := range want {
			if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, w) }) {
				t.Errorf("%s: %q, want %q", file, got, w)
			}
		}
	}
}

// TestUnknownDepth: more requests in flight than connections are impossible only if the number that
// a connection carries is published.
func TestUnknownDepth(t *testing.T) {
	for text, want := range map[string]Verdict{
		`{"framework":"a","rps":28807,"avg_latency":"263.46ms","connections":1024}`:                            CannotTell,
		`{"framework":"a","rps":28807,"avg_latency":"263.46ms","connections":1024,"pipeline":1}`:               Impossible,
		`{"framework":"a","rps":28807,"avg_latency":"263.46ms","connections":1024,"pipeline":16}`:              Sound,
		`{"sleep 200ms":{"framework":"a","rps":28807,"avg_latency":"35.5ms","connections":1024}}`:              CannotTell,
		`{"sleep 200ms":{"framework":"a","rps":28807,"avg_latency":"35.5ms","connections":1024,"pipeline":1}}`: Impossible,
	} {
		rule := "R2"
		if strings.Contains(text, "sleep") {
			rule = "R3"
		}
		var got []Verdict
		for _, f := range judged(t, "one.json", text).Findings {
			if f.Rule == rule && len(f.Figures) > 0 && slices.ContainsFunc(f.Figures,
				func(g *importer.Figure) bool { return g.Metric == "rps" }) {
				got = append(got, f.Verdict)
			}
		}
		if !slices.Equal(got, []Verdict{want}) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
