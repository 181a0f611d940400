package loader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/adhoc"
	"dyno/internal/endpoint"
	"dyno/internal/hist"
	"dyno/internal/result"
	"dyno/internal/summary"
)

func TestSpans(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "7": {7}, "0-3,5,8-9": {0, 1, 2, 3, 5, 8, 9}} {
		if got := spans(cpus); got != want {
			t.Errorf("%v: %s; want %s", cpus, got, want)
		}
	}
}

func TestFailed(t *testing.T) {
	good := result.Load{Planned: 1000, Started: 1000, Succeeded: 1000, WindowNS: 1e9, Connections: 5, Established: 5,
		Workers: 1, LoopCPUNS: 5e8}
	for name, c := range map[string]struct {
		change    func(*summary.Summary)
		maxErrors float64
		strict    bool
		want      bool
	}{
		"good":      {func(*summary.Summary) {}, 0, true, false},
		"one error": {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0, false, true},
		"one is allowed": {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0.001, false,
			false},
		"never started": {func(s *summary.Summary) { s.Load.Planned, s.Load.NeverStarted = 1001, 1 }, 0, false,
			true},
		"connections":        {func(s *summary.Summary) { s.Load.Established = 4 }, 1, false, true},
		"ended early":        {func(s *summary.Summary) { s.Load.UnreachableNS = 1 }, 1, false, true},
		"interrupted":        {func(s *summary.Summary) { s.Interrupted = true }, 1, false, true},
		"the books":          {func(s *summary.Summary) { s.Load.Succeeded = 1 }, 1, false, true},
		"at its limit":       {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, false, false},
		"at it and strict":   {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, true, true},
		"stopped":            {stopped(100, false), 0, false, false},
		"stopped and strict": {stopped(100, false), 0, true, true},
		"few and strict":     {stopped(7, false), 0, true, false},
		"objective":          {stopped(100, true), 0, false, true},
		"objective of few":   {stopped(7, true), 0, false, false},
	} {
		s := &summary.Summary{Load: good}
		c.change(s)
		p := Request{MaxErrors: c.maxErrors, Strict: c.strict, SLO: s.Objectives}
		if got := p.Failed(s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// stopped makes a load of one that stood still for a part of it, with an objective that it kept or none.
func stopped(connections int, objective bool) func(*summary.Summary) {
	return func(s *summary.Summary) {
		s.Load.SilentNS, s.Load.ServiceP50NS = 4e8, 1e6
		s.Load.Connections, s.Load.Established = connections, connections
		if objective {
			s.Detail.Service = hist.New()
			s.Detail.Service.RecordN(1e6, 100_000)
			s.Objectives, _ = summary.ParseObjectives("p99<5ms")
		}
	}
}

// TestManyTargets: a file of very many requests is held once, and little besides is made of it.
func TestManyTargets(t *testing.T) {
	const n = 20_000
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "GET http://127.0.0.1:1/users/%d?page=2\nAccept: application/json\n", i)
	}
	name := filepath.Join(t.TempDir(), "targets")
	if err := os.WriteFile(name, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	lines.Reset()
	memory := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	before := memory()
	p, err := New(t.Context(), Request{Targets: name})
	if err != nil {
		t.Fatal(err)
	}
	mix, err := p.job.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	after := memory()
	runtime.KeepAlive(p)
	runtime.KeepAlive(mix)
	held, made := (after.HeapAlloc-before.HeapAlloc)/n, (after.TotalAlloc-before.TotalAlloc)/n
	info, _ := debug.ReadBuildInfo()
	race := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) // pools then drop much
	if held > 1300 || made > 5000 && !race {
		t.Errorf("%d bytes held of each request, %d allocated", held, made)
	}
	t.Logf("%d bytes held of each request, %d allocated", held, made)
}

// TestSeveralAddresses: how many there are is in the words and in the JSON, of one machine and of several generators.
func TestSeveralAddresses(t *testing.T) {
	one := served(t)
	_, port, _ := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(one, "http://"), "/"))
	two, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Skip(err)
	}
	var here atomic.Int64
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		here.Add(1)
		w.Write([]byte("value"))
	})}
	go s.Serve(two)
	defer s.Close()
	r := Request{URL: "http://two.test:" + port + "/", Connections: 4, Requests: 100, Seed: 3}
	for addresses, want := range map[string]int{"127.0.0.1,127.0.0.2": 2, "127.0.0.1": 0, "127.0.0.1,127.0.0.1": 0} {
		here.Store(0)
		r.Resolve = []string{"two.test:" + port + ":" + addresses}
		a, b := share(t, r, 0, 2), share(t, r, 1, 2)
		several, err := Merge([]*Outcome{a, b}, []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*summary.Summary{&a.Summary, several} {
			var b bytes.Buffer
			var doc map[string]any
			if err := errors.Join(summary.JSON(&b, s), json.Unmarshal(b.Bytes(), &doc)); err != nil {
				t.Fatal(err)
			}
			if n, _ := doc["addresses"].(float64); int(n) != want || s.Load.Failed+s.Load.Errored() > 0 ||
				strings.Contains(s.Did, "spread over 2 addresses") != (want == 2) {
				t.Errorf("%s: %v addresses, %s: %+v", addresses, doc["addresses"], s.Did, s.Load)
			}
		}
		if n := here.Load(); (n > 0) != (want == 2) || n == 100 {
			t.Errorf("%s: %d requests to the second", addresses, n)
		}
	}
}

// TestSpinBesideSeveralServers: the CPUs of the servers at all addresses count, each once; where those of one are not
// known, none are.
func TestSpinBesideSeveralServers(t *testing.T) {
	cpus := map[string][]int{"a": {1}, "b": {2, 3}, "c": {1, 2}}
	of := func(_, addr string) ([]int, error) {
		if cpus[addr] == nil {
			return nil, errors.New("nobody listens there")
		}
		return cpus[addr], nil
	}
	for addrs, want := range map[string][]int{"a": {1}, "a b": {1, 2, 3}, "b a": {1, 2, 3}, "a a a": {1}, "c b a": {1, 2, 3},
		"a elsewhere": nil, "elsewhere a": nil} {
		all := strings.Fields(addrs)
		to := &adhoc.Target{Endpoint: endpoint.TCP(all[0]), Also: all[1:]}
		if got := serverCPUs(to, of); !slices.Equal(got, want) {
			t.Errorf("%s: %v", addrs, got)
		}
	}
}
