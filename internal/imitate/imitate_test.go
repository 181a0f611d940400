package imitate

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/audit"
	"dyno/internal/importer"
	"dyno/internal/result"
)

// served starts a server on which every fifth request to /close has no response, and every fifth to
// /wrong another status.
func served(t *testing.T) string {
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fifth := n.Add(1)%5 == 0
		switch {
		case fifth && r.URL.Path == "/close":
			panic(http.ErrAbortHandler)
		case fifth && r.URL.Path == "/wrong":
			w.WriteHeader(500)
		}
		w.Header().Set("Server", "test")
		io.WriteString(w, "value")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// order returns the order of a tool with these options.
func order(t *testing.T, tool *Tool, options ...string) *Order {
	t.Helper()
	o := tool.Order("test")
	for i := 0; i < len(options); i++ {
		at := slices.IndexFunc(o.Flags(), func(f Flag) bool { return "-"+f.Short == options[i] })
		if at < 0 {
			t.Fatalf("%s has no %s", tool.Name, options[i])
		}
		f, value := o.Flags()[at], ""
		if f.Value != "" {
			i++
			value = options[i]
		}
		if err := f.Set(value); err != nil {
			t.Fatalf("%s %s %s: %v", tool.Name, options[i], value, err)
		}
	}
	return o
}

// TestOutputReadsBack: what is printed, read as that tool's output, gives the counts of the load. On a
// good server the audit finds nothing impossible.
func TestOutputReadsBack(t *testing.T) {
	for _, path := range []string{"/", "/close", "/wrong"} {
		for name, o := range map[string]*Order{
			"wrk":             order(t, wrk, "-c", "4", "-d", "1s", "-L"),
			"ab":              order(t, ab, "-n", "400", "-c", "4", "-q"),
			"ab -k":           order(t, ab, "-n", "400", "-c", "4", "-k"),
			"ab -t":           order(t, ab, "-t", "1", "-n", "300"),
			"bombardier":      order(t, bombardier, "-n", "400", "-c", "4", "-l"),
			"bombardier json": order(t, bombardier, "-n", "400", "-c", "4", "-l", "-p", "r", "-o", "json"),
		} {
			t.Run(name+path, func(t *testing.T) {
				t.Parallel()
				var out, notes bytes.Buffer
				s, err := o.Run(t.Context(), served(t)+path, &out, &notes, 0)
				if err != nil {
					t.Fatal(err)
				}
				tool, _, _ := strings.Cut(name, " ")
				doc, err := importer.Read(name, out.Bytes(), tool)
				if err != nil || len(doc.Rows) != 1 || len(doc.Troubles) > 0 {
					t.Fatalf("%v, %+v\n%s", err, doc, &out)
				}
				if got, want := ledger(doc.Rows[0], tool), counts(&s.Load); !maps.Equal(got, want) {
					t.Errorf("read back %v; want %v\n%s", got, want, &out)
				}
				if path != "/" {
					return
				}
				if n := audit.Examine([]*importer.Document{doc}).Figures[audit.Impossible]; n > 0 {
					t.Errorf("%d figures are impossible:\n%s", n, &out)
				}
			})
		}
	}
}

// ledger is what an output says of requests.
func ledger(r *importer.Row, tool string) map[string]int64 {
	one := func(metric string) int64 {
		if f := r.One(importer.None, metric); f != nil {
			return int64(f.Value)
		}
		return 0
	}
	m := map[string]int64{"answered": one("requests"), "wrong": one("non2xx")}
	switch tool {
	case "wrk":
		m["errors"] = one("connect_errors") + one("read_errors") + one("write_errors") + one("timeouts")
	case "ab":
		m["errors"] = one("connect_errors") + one("receive_errors") + one("exceptions")
		m["answered"] -= one("receive_errors") + one("exceptions") // which are complete, too
	default:
		m["answered"], m["wrong"] = 0, one("http4xx")+one("http5xx")
		for _, class := range []string{"http1xx", "http2xx", "http3xx", "http4xx", "http5xx"} {
			m["answered"] += one(class)
		}
		m["errors"] = one("others")
	}
	return m
}

// counts is what the load recorded.
func counts(l *result.Load) map[string]int64 {
	return map[string]int64{"answered": l.Succeeded + l.Failed, "wrong": l.Failed, "errors": l.Errored()}
}

// TestABBodies: HTML transferred is of all responses, as ab has it: wrong ones, and those whose length
// is not that of the first.
func TestABBodies(t *testing.T) {
	var asked, sent atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 100 // of the first, from which the length is learned
		if k := asked.Add(1); k > 1 {
			n = int(1 + k%7)
			sent.Add(int64(n))
		}
		if n == 3 {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, strings.Repeat("x", n))
	}))
	defer s.Close()
	for _, options := range [][]string{nil, {"-l"}, {"-k"}, {"-l", "-k"}} {
		asked.Store(0)
		sent.Store(0)
		var out, notes bytes.Buffer
		o := order(t, ab, append(options, "-n", "200", "-c", "4")...)
		if _, err := o.Run(t.Context(), s.URL+"/", &out, &notes, 0); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("HTML transferred:       %d bytes\n", sent.Load())
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q: no %q in\n%s\n%s", options, want, &out, &notes)
		}
	}
}

// TestRatesCountEveryResponse: rates are of all responses, right or wrong, as those of wrk, ab and
// bombardier; dyno's own is beside them on stderr.
func TestRatesCountEveryResponse(t *testing.T) {
	n := atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := n.Add(1)
		switch {
		case r.URL.Path == "/404":
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path == "/close" && k%5 == 0:
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, strings.Repeat("x", int(k%7)))
	}))
	defer s.Close()
	for name, c := range map[string]struct {
		o          *Order
		path, rate string
		mean       bool // the rate is of the whole load, not of samples
	}{
		"wrk":        {order(t, wrk, "-c", "4", "-d", "1s"), "/404", `Requests/sec: +(\S+)`, true},
		"wrk's loop": {order(t, wrk, "-c", "4", "-d", "1s"), "/404", `Req/Sec +([0-9.]+)`, false},
		"ab":         {order(t, ab, "-n", "400", "-c", "4"), "/", `Requests per second: +(\S+)`, true},
		"ab -r":      {order(t, ab, "-r", "-n", "400", "-c", "4"), "/close", `Requests per second: +(\S+)`, true},
		"bombardier": {order(t, bombardier, "-n", "400", "-c", "4"), "/404", `Reqs/sec +(\S+)`, false},
	} {
		var out, notes bytes.Buffer
		n.Store(0) // so that the first response, from which ab learns, is there
		sum, err := c.o.Run(t.Context(), s.URL+c.path, &out, &notes, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		l := sum.Load
		rate := 0.
		if m := regexp.MustCompile(c.rate).FindStringSubmatch(out.String()); m != nil {
			rate, _ = strconv.ParseFloat(m[1], 64)
		}
		want := float64(l.Succeeded+l.Failed+l.Errored()) / (float64(l.Wall()) / 1e9) // errors are only of ab
		if l.Failed == 0 || rate == 0 || c.mean && math.Abs(rate/want-1) > 1e-3 {
			t.Errorf("%s: %d right, %d wrong responses, rate %g; want %g\n%s", name, l.Succeeded, l.Failed, rate, want,
				&out)
		}
		if strings.Contains(out.String(), "nan") || !strings.Contains(notes.String(), "dyno's own counts right") {
			t.Errorf("%s:\n%s\n%s", name, &out, &notes)
		}
	}
}

// TestRates: samples are of one event loop each for wrk, which leaves out those without a response and
// counts their time in the next one; of all together for bombardier.
// TestStream: a streamed body of bombardier is chunked.
func TestStream(t *testing.T) {
	o := order(t, bombardier, "-m", "POST", "-b", "abc", "-s")
	if err := bombardierComplete(o); err != nil || !slices.Contains(o.Headers, "Transfer-Encoding: chunked") {
		t.Errorf("%q, %v", o.Headers, err)
	}
}

// TestNotesOfARate: what bombardier defines otherwise where it keeps a rate is said there, and only there.
func TestNotesOfARate(t *testing.T) {
	for _, options := range [][]string{{"-n", "20", "-c", "1"}, {"-n", "20", "-c", "1", "-r", "200"}} {
		var out, notes bytes.Buffer
		if _, err := order(t, bombardier, options...).Run(t.Context(), served(t), &out, &notes, 0); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(notes.String(), "Reqs/sec is of samples"); said != (len(options) > 4) {
			t.Errorf("%q:\n%s", options, &notes)
		}
	}
}

func TestRates(t *testing.T) {
	f := &figures{Seconds: 0.4}
	loops := [][]int32{{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 9}, {2, 2, 2, 2, 2}}
	if got, want := f.rates(loops, 5, false), []float64{50, 20, 100}; !slices.Equal(got, want) {
		t.Errorf("samples of wrk: %v; want %v", got, want)
	}
	got := f.rates(together(loops), 1, true)
	if len(got) != 20 || got[0] != 150 || got[5] != 0 || got[14] != 200 {
		t.Errorf("samples of bombardier: %v", got)
	}
	s := describe([]float64{1, 2, 3, 10})
	if s.Mean != 4 || s.Max != 10 || s.SD < 4.08 || s.SD > 4.09 || s.Within != 75 {
		t.Errorf("%+v", s)
	}
}

func TestUnits(t *testing.T) {
	for want, got := range map[string]string{
		"697.00us": microseconds(697), "0.93ms": microseconds(930), "900.00ms": microseconds(900e3),
		"1.32s": microseconds(1.32e6), "0.87m": microseconds(52e6), "0.85s": bombardierMicroseconds(850e3),
		"12.27k": wrkRate(12270), "1.00": wrkRate(1),
	} {
		if got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	for text, want := range map[string]time.Duration{"1": time.Second, "30s": 30 * time.Second, "2M": 2 * time.Minute,
		"1h": time.Hour, "": 0, "1.5s": 0, "2ms": 0, "0": 0} {
		if got, err := wrkTime(text); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Figures that wrk, ab and bombardier printed are printed again, to the last blank.
func TestExactly(t *testing.T) {
	var b bytes.Buffer
	print := func(text string, err error) {
		t.Helper()
		if err != nil || b.String() != text {
			t.Errorf("%v\n%s\nwant\n%s", err, &b, text)
		}
		b.Reset()
	}
	fill := func(o wrkOutput) error {
		return printer(wrkText, wrkFuncs, func(*figures) wrkOutput { return o })(&b, nil)
	}
	print(`  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    18.91ms   46.25ms 242.62ms   88.78%
    Req/Sec     3.15k     2.25k    6.95k    60.00%
  Latency Distribution
     50%  697.00us
     75%    4.05ms
     90%   77.89ms
     99%  217.98ms
  3528 requests in 1.32s, 575.37KB read
  Socket errors: connect 0, read 882, write 0, timeout 0
Requests/sec:   2676.02
Transfer/sec:    436.42KB
`, fill(wrkOutput{Latency: stats{1, 0, 18910, 46250, 0, 242620, 88.78}, Rate: stats{1, 0, 3150, 2250, 0, 6950, 60},
		Percentiles: []percentile{{50, 697}, {75, 4050}, {90, 77890}, {99, 217980}}, Requests: 3528, Time: "1.32s",
		Size: "575.37K", Read: 882, PerSec: 2676.02, SizePerSec: "436.42K"}))
	print(`  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.00us    0.00us   0.00us    -nan%
    Req/Sec     1.00      0.00     1.00    100.00%
  4 requests in 4.03s, 508.00B read
  Socket errors: connect 0, read 0, write 0, timeout 4
Requests/sec:      0.99
Transfer/sec:     126.07B
`, fill(wrkOutput{Rate: stats{1, 0, 1, 0, 0, 1, 100}, Requests: 4, Time: "4.03s", Size: "508.00", Timeout: 4,
		PerSec: .99, SizePerSec: "126.07"}))
}

// TestExactlyAsAb does so for ab: what it printed of 200 requests with a body.
func TestExactlyAsAb(t *testing.T) {
	golden, err := os.ReadFile("../../cmd/dyno/testdata/imitate/ab-p.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(golden), "(be patient).....done\n")
	row := func(name string, least, mean, sd, median, most float64) abRow {
		return abRow{Name: name, stats: stats{200, least, mean, sd, median, most, 0}}
	}
	var b bytes.Buffer
	err = printer(abText, nil, func(*figures) *abOutput {
		return &abOutput{Software: "test", Host: "127.0.0.1", Port: "8099", Path: "/", Length: 5, Connections: 4,
			Seconds: .2339, Complete: 200, Read: 27800, Bodies: 1000, Sends: true, Sent: 26200, Rated: true,
			PerSec: 855.09, Rows: []abRow{row("Connect:", 0, 0, .1, 0, 0), row("Processing:", 0, 5, 10.3, 1, 55),
				row("Waiting:", 0, 4, 10.2, 1, 55), row("Total:", 0, 5, 10.3, 2, 55)},
			Percentiles: []percentile{{50, 2}, {66, 2}, {75, 2}, {80, 3}, {90, 8}, {95, 23}, {98, 53}, {99, 55}, {100, 55}},
		}
	})(&b, nil)
	if got := b.String(); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestExactlyAsBombardier does so for bombardier, with errors and percentiles.
func TestExactlyAsBombardier(t *testing.T) {
	var b bytes.Buffer
	err := printer(bombardierText, bombardierFuncs, func(*figures) bombardierOutput {
		return bombardierOutput{Rate: stats{1, 0, 9026.39, 6676.78, 0, 28815.42, 0},
			Latency:     stats{1, 0, 1150, 4540, 0, 125730, 0},
			Percentiles: []percentile{{50, 557}, {75, 880}, {90, 1260}, {95, 3160}, {99, 12150}},
			Classes:     [5]int64{0, 8651}, Others: 20, Errors: []bombardierError{{"timeout", 20}}, PerSec: "1.87MB"}
	})(&b, nil)
	if want := `Statistics        Avg      Stdev        Max
  Reqs/sec      9026.39    6676.78   28815.42
  Latency        1.15ms     4.54ms   125.73ms
  Latency Distribution
     50%   557.00us
     75%     0.88ms
     90%     1.26ms
     95%     3.16ms
     99%    12.15ms
  HTTP codes:
    1xx - 0, 2xx - 8651, 3xx - 0, 4xx - 0, 5xx - 0
    others - 20
  Errors:
       timeout - 20
  Throughput:     1.87MB/s
`; err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, &b, want)
	}
}

// TestDoubt: ab's lines about means that are far from their medians.
func TestDoubt(t *testing.T) {
	for want, s := range map[string]stats{"": {Mean: 5, Median: 4, SD: 2}, "WARNING": {Mean: 7, Median: 4, SD: 2},
		"ERROR": {Mean: 9, Median: 4, SD: 2}} {
		got, _, _ := strings.Cut(abRow{Full: "the total time", stats: s}.Doubt(), ":")
		if got != want {
			t.Errorf("%+v: %q; want %q", s, got, want)
		}
	}
}

func TestCalled(t *testing.T) {
	for want, args := range map[string][]string{
		"load x": {"dyno", "load", "x"}, "wrk -c 1": {"/usr/bin/wrk", "-c", "1"}, "ab": {"ab.exe"}, "": {"/bin/dyno"},
	} {
		if got := strings.Join(Called(args), " "); got != want {
			t.Errorf("%v: %q; want %q", args, got, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		o   *Order
		url string
	}{
		"want a URL with its scheme":         {order(t, wrk), "127.0.0.1:1"},
		"one connection for each thread":     {order(t, wrk, "-c", "2", "-t", "4"), "http://127.0.0.1:1/"},
		"a host and a path":                  {order(t, ab), "http://127.0.0.1:1"},
		"no more connections than requests":  {order(t, ab, "-c", "2"), "http://127.0.0.1:1/"},
		"a HEAD request has no body":         {order(t, bombardier, "-m", "HEAD", "-b", "x"), "127.0.0.1:1"},
		"both define the body":               {order(t, bombardier, "-f", "x", "-b", "x"), "127.0.0.1:1"},
		"is a server listening at 127.0.0.1": {order(t, ab), "127.0.0.1:1/"},
	} {
		var out bytes.Buffer
		if _, err := c.o.Run(t.Context(), c.url, &out, &out, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	for want, f := range map[string]func(*Order, string) error{"no Lua": wrk.flags[3].set} {
		if err := f(wrk.Order(""), "x.lua"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// TestDefaults: a default that the help names is the tool's: to give it changes nothing.
func TestDefaults(t *testing.T) {
	named := regexp.MustCompile(`\(default (.*)\)$`)
	for _, tool := range Tools {
		found := 0
		for _, f := range tool.flags {
			m := named.FindStringSubmatch(f.usage)
			if m == nil || strings.Contains(f.usage, "unless") {
				continue
			}
			found++
			o := tool.Order("")
			if err := f.set(o, m[1]); err != nil || !reflect.DeepEqual(o, tool.Order("")) {
				t.Errorf("%s -%s %s: %v, or it is not the default", tool.Name, f.short, m[1], err)
			}
		}
		if found < 3 {
			t.Errorf("%s: the help names %d defaults", tool.Name, found)
		}
	}
}
