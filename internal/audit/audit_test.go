package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"dyno/internal/importer"
)

var update = flag.Bool("update", false, "write the goldens anew")

const publishedFile = "../../examples/published-figures.csv"

func read(t testing.TB, name, content string) *importer.Document {
	t.Helper()
	doc, err := importer.Read(name, []byte(content), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Troubles) > 0 {
		t.Fatal(doc.Troubles)
	}
	return doc
}

// rateTable is a table with rates from 0 to 200/s, 100/s on average, with this deviation.
func rateTable(load string, stdev int) string {
	return fmt.Sprintf("name,c,load,metric,value,unit\na,10,%[1]s,rps_mean,100,req/s\n"+
		"a,10,%[1]s,rps_stdev,%[2]d,req/s\na,10,%[1]s,rps_max,200,req/s\n", load, stdev)
}

// ruleCases are tables with a rule's finding; "-" is none.
var ruleCases = []struct{ about, table, rule, want string }{
	{"rate, requests and time agree", "name,c,load,rps,time\na,10,-n 1000,100,10.00 s\n", "R1", "-"},
	{"a rate that is not requests ÷ time",
		"name,c,load,rps,time\na,10,-n 1000,150,10.00 s\n", "R1",
		"impossible: 1,000 ÷ 10.00 s = 100/s, but the rate is 150/s (+50.0 %)"},
	{"a rate that may be a mean of samples", "name,c,load,rps,time\na,10,-n 1000,110,10.00 s\n", "R1",
		"doubtful: 1,000 ÷ 10.00 s = 100/s, but the rate is 110/s (+10.0 %)"},
	{"a rate of a tool that prints none", "name,c,load,rps,time\na,10,wrk -n 1000,110,10.00 s\n", "R1",
		"impossible: 1,000 ÷ 10.00 s = 100/s, but the rate is 110/s (+10.0 %)"},
	{"a rate of right answers", "name,rps,time,2xx,5xx\na,50,10.00 s,500,500\n", "R5",
		"doubtful: 500 of 1,000 responses were errors"},
	{"a rate of errors", "name,rps,time,2xx,5xx\na,100,10.00 s,500,500\n", "R5",
		"impossible: 500 of 1,000 responses were errors"},
	{"no answer was right, and the rate says so", "name,rps,time,2xx,4xx\na,0,5s,0,900\n", "R5",
		"doubtful: 900 of 900 responses were errors"},
	{"connections opened again", "name,c,rps,latency_ms,2xx,reconnects\na,100,1000,10.0,5000,500\n", "R2",
		"cannot tell: 1,000/s × 10.0 ms = 10 requests in flight, of 100 connections"},
	{"whole seconds leave room", "name,c,load,rps,time\na,10,-n 1000,93,10 s\n", "R1", "-"},
	{"a mean of samples",
		"name,c,load,rps_mean,time\na,10,-n 1000,80,10.00 s\n", "R1",
		"doubtful: 1,000 ÷ 10.00 s = 100/s, but the rate is 80/s (-20.0 %)"},
	{"Little's law takes the rate's side",
		"name,c,load,rps_mean,time,latency_ms\na,10,-n 1000,60,10.00 s,166.0\n", "R1",
		"impossible: 1,000 ÷ 10.00 s = 100/s, but the rate is 60/s; with 166.0 ms, 100/s would be 16.6 " +
			"requests in flight of 10 connections, 60/s are 9.96: the time is wrong"},
	{"all connections in use", "name,c,rps,latency_ms\na,10,100,100.0\n", "R2", "-"},
	{"too many in flight",
		"name,c,rps,latency_ms\na,10,100,105.0\n", "R2",
		"impossible: 100/s × 105.0 ms = 11 requests in flight, of 10 connections"},
	{"the digits leave room", "name,c,rps,latency_ms\na,10,100,104\n", "R2", "-"},
	{"pipelining allows more", "name,c,depth,rps,latency_ms\na,10,4,100,300.0\n", "R2", "-"},
	{"an open loop has no such law", "name,c,load,rps,latency_ms\na,10,wrk2 -R 100,100,5.0\n", "R2", "-"},
	{"some connections missing",
		"name,c,rps,latency_ms\na,10,100,80.0\n", "R2",
		"doubtful: 100/s × 80.0 ms = 8 requests in flight, of 10 connections"},
	{"most connections missing",
		"name,c,rps,latency_ms\na,5000,1000,1000.0\n", "R2",
		"impossible: 1,000/s × 1000.0 ms = 1,000 requests in flight, of 5,000 connections"},
	{"within the delay", "name,c,delay,rps\na,10,100ms,98\n", "R3", "-"},
	{"beyond the delay",
		"name,c,delay,rps\na,10,100ms,110\n", "R3",
		"impossible: 110/s, but 10 connections ÷ 100 ms allow at most 100/s"},
	{"pipelined, beyond one at a time",
		"name,c,delay,depth,rps\na,10,100ms,16,900\n", "R3",
		"doubtful: 900/s, but 10 connections ÷ 100 ms allow 100/s"},
	{"pipelined, beyond all",
		"name,c,delay,depth,rps\na,10,100ms,16,1900\n", "R3",
		"impossible: 1,900/s, but 10 connections × 16 ÷ 100 ms allow at most 1,600/s"},
	{"serial handlers",
		"name,c,delay,rps\na,100,10ms,97\n", "R3",
		"doubtful: 97/s, which is 1 ÷ 10 ms, where 100 connections allow 10,000/s"},
	{"an answer too early",
		"name,c,delay,latency_ms\na,10,100ms,60.0\n", "R3", "impossible: 60.0 ms, where the handler waits 100 ms"},
	{"too few bytes",
		"name,c,rps,throughput\na,1,1000,10KB/s\nb,1,1000,200KB/s\n", "R4",
		"impossible: 10KB/s ÷ 1,000/s = 10.2 bytes per request, but HTTP/1.1 takes at least 19"},
	{"another answer", "name,c,rps,throughput\na,1,1000,100KB/s\nb,1,1000,110KB/s\nd,1,1000,300KB/s\n", "R4",
		"doubtful: 300KB/s ÷ 1,000/s = 307 bytes per request, where the median of the 3 contestants is 113"},
	{"bodies differ",
		"name,metric,value,unit\na,document_length,3,B\nb,document_length,9,B\n", "R4",
		"doubtful: bodies from 3 B (a) to 9 B (b)"},
	{"errors",
		"name,metric,value,unit\na,requests,1000,\na,rps,10,req/s\na,non2xx,900,\n", "R5",
		"impossible: 900 of 1,000 responses were errors"},
	{"a row twice",
		"name,c,rps,latency_ms\na,10,1234.56,8.123\nb,10,1234.56,8.123\n", "R6",
		"doubtful: all 2 figures are those of a"},
	{"all at the ceiling", "name,c,delay,rps\na,10,100ms,98.1\nb,10,100ms,98.2\n", "R7",
		"cannot tell: 2 contestants lie within 0.1 %, all above 98 % of 10 connections ÷ 100 ms = 100/s"},
	{"no further apart than two runs", "name,metric,value,unit,ref\na,rps,100,req/s,x:a.csv\n" +
		"a,rps,108,req/s,x:b.csv\nb,rps,104,req/s,x:a.csv\nb,rps,98,req/s,x:b.csv\n" +
		"c,rps,109,req/s,x:a.csv\nc,rps,101,req/s,x:b.csv\n", "R7",
		"cannot tell: 3 contestants lie within 9 %, and two runs of the same contestant differ by up " +
			"to 8 % (in nine cases of ten)"},
	{"two values",
		"name,metric,value,unit,ref\na,rps,100,req/s,x:a.csv\na,rps,900,req/s,x:b.csv\n", "R8",
		"impossible: 100 req/s (a.csv) and 900 req/s (b.csv), 9 times apart"},
	{"an old value", "date,name,metric,value,unit\n2017-01-01,a 1.0,memory,1234,MB\n2017-01-01,b " +
		"1.0,memory,5678,MB\n2018-01-01,a 2.0,memory,1234,MB\n2018-01-01,b 2.0,memory,5678,MB\n",
		"R8", "doubtful: 1234 MB of memory equals the value from an earlier date to the last digit, as do 2 of 2 in " +
			"its table"},
	{"an empty cell", "name,rps\na,\nb,100\n", "R9", "cannot tell: no value: missing is not zero"},
	{"five in one cell",
		"name,metric,value,unit\na,heap,3 17 17 17 17,MB\n", "R9",
		`doubtful: "3 17 17 17 17 MB": 5 numbers instead of one`},
	{"a unit left in", "name,latency_ms\na,850us\nb,1.2\n", "R9", "doubtful: 850us, in a column of another unit"},
	{"below zero", "name,rps\na,-5\n", "R9", "impossible: -5 req/s is below zero"},
	{"quantiles fall", "name,p50_ms,p99_ms\na,5.0,2.0\n", "R9", "impossible: p50 is 5.0 ms, but p99 is 2.0 ms"},
	{"a mean too high",
		"name,latency_ms,p50_ms,latency_max_ms\na,9.0,1.0,5.0\n", "R9",
		"impossible: a mean of 9.0 ms, but the quantiles allow 475 µs to 3.05 ms"},
	{"a mean that is the 99th percentile",
		"name,latency_ms,p50_ms,p99_ms\na,2.51,1.00,2.51\n", "R9", "doubtful: 2.51 ms is both the mean and p99"},
	{"a mean above the p99", "name,latency_ms,p99_ms\na,9.0,5.0\n", "R9",
		"doubtful: a mean of 9.0 ms above p99 of 5.0 ms: the slowest 1 % would take 395 ms on average, or more"},
	{"a mean below the p99", "name,latency_ms,p99_ms\na,4.0,5.0\n", "R9", "-"},
	{"a deviation too large", "name,latency_ms,latency_stdev_ms,latency_max_ms\na,1.0,9.0,5.0\n", "R9",
		"impossible: a standard deviation of 9.0 ms around 1.0 ms, but values from 0 to 5.0 ms allow at most " +
			"2.07 ms"},
	{"a deviation of rates too large", rateTable("bombardier -d 10s", 120), "R9",
		"impossible: a standard deviation of 120 req/s around 100 req/s, but values from 0 to 200 req/s allow at " +
			"most 101"},
	{"of many samples", rateTable("bombardier -d 10s", 102), "R9", "-"},
	{"of few samples", rateTable("bombardier -d 50ms", 120), "R9", "-"},
	{"of samples of unknown length", rateTable("bombardier -r 50 -d 10s", 120), "R9", "-"},
	{"of an unknown number of samples", rateTable("bombardier -n 1000", 120), "R9", "-"},
	{"of an unknown tool", rateTable("-d 10s", 120), "R9", "-"},
	{"prose",
		"name,c,metric,value,unit,ref\na,125,latency_mean,4.69,ms,prose says 1.18ms\n", "R11",
		"impossible: the text says 1.18 ms, but the table 4.69 ms"},
	{"a benchmark too short", "name,load,metric,value,unit\na,go test -bench N=1000,ns_op,100,ns/op\n", "R1",
		"doubtful: 1,000 × 100 ns/op = 100 µs, but by default go test runs for at least a second"},
}

// TestRules has a table for each finding that a rule makes, with its text; with "-" the rule must
// find nothing amiss.
func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.about, func(t *testing.T) {
			j := Examine([]*importer.Document{read(t, "t.csv", c.table)})
			var said []string
			for _, f := range j.Findings {
				if f.Rule == c.rule && (f.Verdict > Sound || f.Verdict == CannotTell) && f.Kind != "bytes per request" {
					said = append(said, f.Verdict.String()+": "+f.Text)
				}
			}
			if c.want == "-" {
				if len(said) > 0 {
					t.Errorf("%q", said)
				}
				return
			}
			if len(said) == 0 || said[0] != c.want {
				t.Errorf("%q, want %q", said, c.want)
			}
		})
	}
}

// examine12846 reads and judges the published file.
func examine12846() *Report {
	data, err := os.ReadFile(publishedFile)
	if err != nil {
		panic(err)
	}
	doc, err := importer.Read("published-figures.csv", data, "")
	if err != nil {
		panic(err)
	}
	return Examine([]*importer.Document{doc})
}

// examined does so once for all tests.
var examined = sync.OnceValue(examine12846)

// TestPublished holds the judge to the findings that people made in these figures by hand.
func TestPublished(t *testing.T) {
	j := examined()
	if n := j.Figures.Total() + len(j.Documents[0].Troubles); n != 12846 {
		t.Errorf("%d figures and troubles, want 12,846", n)
	}
	var loads, pipelined, sparse int
	for _, f := range j.Findings {
		switch {
		case f.Rule == "R2" && f.Verdict == Impossible && len(f.Figures) == 1 && f.Figures[0].Prose:
			if want := "26,657/s × 1.18 ms = 31 requests in flight, of 125 connections"; f.Text != want {
				t.Errorf("%q, want %q", f.Text, want)
			}
			loads++
		case f.Rule == "R1" && f.Verdict == Impossible:
			who, when := f.Row.Contestant, f.Row.Date
			if who != "Kestrel 2.1.5 + Session" || when != "2018-10-22" || f.Figures[0].Metric != "time" {
				t.Errorf("R1 impossible: %s: %s", f.Row.Contestant, f.Text)
			}
			loads++
		}
	}
	if loads != 2 {
		t.Error("the 1.18 ms of the prose and the 2018 time of the Kestrel sessions were not both found")
	}
	for _, r := range j.Documents[0].Rows {
		for _, f := range rates(r) {
			switch v := verdict(f); {
			case r.Depth == 16 && r.Date < "2020-05":
				if pipelined++; v < Doubtful {
					t.Errorf("%s: %s, %s %s is %s", f.Place, r.Date, name(r), f.Text, v)
				}
			case r.Depth == 16 && v > Sound:
				t.Errorf("%s: %s, %s %s is %s", f.Place, r.Date, name(r), f.Text, v)
			case r.Connections == 5000 && (r.Date == "2019-01-04" || r.Date == "2021-05-08") && len(latencies(r)) > 0:
				if sparse++; v != Impossible {
					t.Errorf("%s: %s, %s %s is %s", f.Place, r.Date, name(r), f.Text, v)
				}
			}
		}
	}
	if pipelined != 1454 || sparse != 435 {
		t.Errorf("%d pipelined rates before May 2020, %d of 5,000 connections of which 1,000 were there",
			pipelined, sparse)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is printed now; if that is meant, run the test with -update and look at the "+
			"difference", file)
	}
}

// TestMissing: a figure without a check says what could check it, and a checked one says nothing.
func TestMissing(t *testing.T) {
	const rate = "rate: connections and mean latency (R2), or requests and time (R1)"
	for _, c := range []struct{ table, want string }{
		{"name,rps\na,100\nb,200\n", "2 " + rate},
		{"name,c,rps\na,10,100\n", "1 " + rate},
		{"name,latency_ms\na,10\n", "1 mean latency: connections and rate (R2), or percentile (R9)"},
		{"name,p99_ms\na,10\n", "1 percentile: another percentile or the mean latency (R9)"},
		{"name,p50_ms,p99_ms\na,5,10\n", ""},
		{"name,c,rps,latency_ms\na,10,100,100.0\n", ""},
	} {
		var got []string
		for _, m := range Examine([]*importer.Document{read(t, "t.csv", c.table)}).Missing() {
			got = append(got, fmt.Sprintf("%d %s: %s", m.Figures, m.What, m.Needs))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.table, s, c.want)
		}
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, examined(), 120, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "published.txt", b.Bytes())
}

const small = "name,scenario,c,load,rps,latency_ms,p99_ms,time\n" +
	"a,sleep 10 ms,100,wrk -d30s,9800.5,10.20,11.5,\n" +
	"b,sleep 10 ms,100,wrk -d30s,19000.0,5.10,4.2,\n" +
	"c,sleep 10 ms,100,wrk -d30s,97,10.31,11.0,850ms\n"

func TestForms(t *testing.T) {
	j := Examine([]*importer.Document{read(t, "small.csv", small)})
	var text, doc bytes.Buffer
	if err := Text(&text, j, 100, true); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&doc, j, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.txt", text.Bytes())
	golden(t, "small.json", doc.Bytes())
	var any map[string]any
	if err := json.Unmarshal(doc.Bytes(), &any); err != nil {
		t.Error(err)
	}
}

// TestSameBytes runs the judge twice: maps must not show.
func TestSameBytes(t *testing.T) {
	var a, b strings.Builder
	if err := Text(&a, examined(), 100, true); err != nil {
		t.Fatal(err)
	}
	if err := Text(&b, examine12846(), 100, true); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("the same figures make two texts")
	}
}

func BenchmarkPublished(b *testing.B) {
	for b.Loop() {
		var out bytes.Buffer
		if err := Text(&out, examine12846(), 100, false); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzExamine gives the judge every document that the reader makes from a file: no panic, no figure
// without a verdict, and outputs that can be written.
func FuzzExamine(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name,c,depth,delay,load,metric,value,unit,ref,date\na,10,16,10ms,wrk -d1s,rps,1e300,req/s,prose " +
		"says 1ms,2017\na,10,16,10ms,wrk -d1s,latency_mean,0,s,,\n"))
	f.Add([]byte("name,rps,rps_mean,latency,p50,p99,time,requests,throughput\na,0,-1,>3s,~1s,<2ms,0s,0,1KB/s\n" +
		"b,1-2,,1 2,1ms,1ms,1s,9,1B/s\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := importer.Read("f.csv", data, "csv")
		if err != nil {
			return
		}
		j := Examine([]*importer.Document{doc})
		if got := j.Figures.Total(); got != doc.Printed() {
			t.Errorf("%d figures, %d with a verdict", doc.Printed(), got)
		}
		if err := Text(io.Discard, j, 80, true); err != nil {
			t.Error(err)
		}
		if err := JSON(io.Discard, j, true); err != nil {
			t.Error(err)
		}
	})
}

// TestPercent: a share above 100 % has no exponent.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{2.5: "250 %", 1: "100 %", .124: "12 %", .0314: "3.1 %", .00314: "0.31 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
