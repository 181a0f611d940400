package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

const serviceName = "records"

// fakeRecords answers with the number of records that it was told, the seed first among them.
type fakeRecords struct{ body atomic.Value }

func (f *fakeRecords) serve(ctx context.Context, ln net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /control", func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.FormValue("records"), &n)
		f.body.Store("[" + r.FormValue("seed") + strings.Repeat(",1", n-1) + "]")
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /data", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, f.body.Load())
	})
	srv := http.Server{Handler: mux}
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	srv.Serve(ln)
	return nil
}

// relaySet is a bench whose contestants pass on the service's answers, with 3 and 40 records, and a
// plan for comparing two of them.
func relaySet(t *testing.T) (*Bench, *fakeHost, *fakeGenerator, record.Plan) {
	t.Helper()
	b, h, d, _ := set(t)
	h.scenario = &scenario.Scenario{Name: "relay", Services: []scenario.Service{{Name: serviceName, Env: map[string]string{"DYNO_RECORDS": "{host}:{port}"}}},
		Requests: []scenario.Request{{Name: "relay", Method: "GET", Path: "/test", Weight: 1,
			Expect: scenario.Expect{Status: 200, JSONOf: "/data",
				Headers: map[string]string{"Content-Type": "application/json"}}}}}
	b.Scenario = h.scenario
	d.rates[serviceName] = 90_000
	p := small("a", "b")
	p.Ceiling, p.Services = serviceName, []record.Service{{Name: serviceName, Records: true}}
	p.Levels[0].Records = 3
	many := p.First()
	many.Records = 40
	p.Levels = append(p.Levels, many)
	for i := range p.Levels {
		p.Family = append(p.Family, record.Comparison{A: record.Cell{Contestant: "a", Level: i},
			B: record.Cell{Contestant: "b", Level: i}})
	}
	return b, h, d, p
}

func TestServiceAnswersAsTheLevelSays(t *testing.T) {
	b, h, d, p := relaySet(t)
	asked := map[string]bool{}
	d.asked = func(name string, job load.Job) {
		e := job.Scenario.Requests[0].Expect
		var want []uint64
		if e.Body == nil || json.Unmarshal([]byte(*e.Body), &want) != nil || *e.Body != h.records.body.Load() {
			t.Errorf("%s is held to %+v, the service says %.60s", name, e, h.records.body.Load())
			return
		}
		asked[fmt.Sprint(name, " ", job.Scenario.Requests[0].Path, " ", len(want))] = true
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Failures) > 0 {
		t.Fatalf("%v, %+v", err, run.Failures)
	}
	for _, name := range []string{"a /test", "b /test", "ref /test", serviceName + " /data"} {
		if !asked[name+" 3"] || !asked[name+" 40"] {
			t.Errorf("%s was not loaded at both levels: %v", name, asked)
		}
	}
	for _, tr := range run.Trials {
		switch own := tr.Contestant == serviceName; {
		case own && (tr.Services != nil || tr.Epoch >= p.Pilots):
			t.Errorf("the service by itself, in epoch %d: %+v", tr.Epoch, tr.Services)
		case !own && (len(tr.Services) != 1 || tr.Services[0].Processes != 1):
			t.Errorf("%s: the service's account is %+v", tr.Contestant, tr.Services)
		}
	}
	started := 0
	for _, l := range run.Launches {
		if l.Contestant == serviceName && len(l.CPUs) == 1 && l.CPUs[0] == 1 && l.ReadyNS > 0 {
			started++
		}
	}
	// the pilot and the others; and the proof
	if epochs := 1 + len(plan.Epochs(run)); started != epochs || h.starts[serviceName] != epochs+1 {
		t.Errorf("it was launched %d times, recorded %d times, in %d epochs", h.starts[serviceName], started, epochs)
	}
}

func TestContestantIsHeldToTheService(t *testing.T) {
	b, h, _, p := relaySet(t)
	body := "[3]"
	other := *h.scenario
	other.Requests = []scenario.Request{h.scenario.Requests[0]}
	other.Requests[0].Expect = scenario.Expect{Status: 200, Body: &body,
		Headers: map[string]string{"Content-Type": "application/json"}}
	h.mutant = map[string]*scenario.Scenario{"b": &other}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	if f := run.FailureOf("b"); f == nil || f.Stage != "verify" || !strings.Contains(f.Reason, "3 records: ") ||
		len(run.Failures) != 1 {
		t.Errorf("failures %+v", run.Failures)
	}
}

func TestServiceThatDies(t *testing.T) {
	b, h, _, p := relaySet(t)
	h.dies = func(start, thaws int) bool { return start == 5 && thaws == 6 } // in its third epoch after the pilot
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	f := run.FailureOf(serviceName)
	if f == nil || len(run.Failures) != 1 || f.Stage != "load" || f.Epoch != 3 ||
		!strings.Contains(f.Reason, "was loaded, it exited: signal: killed") {
		t.Errorf("failures %+v", run.Failures)
	}
	if len(run.Resumes) != 1 || run.Resumes[0].Epoch != 4 || run.End.Reason != string(plan.Decided) {
		t.Errorf("resumes %+v, end %+v", run.Resumes, run.End)
	}
	if epochs := plan.Epochs(run); len(epochs) != 8 || epochs[2] != 4 {
		t.Errorf("epochs %v", epochs)
	}

	h.starts = map[string]int{}
	h.dies = func(start, thaws int) bool { return start > 2 && thaws > 2 }
	if run, err = b.Run(t.Context(), wholePlan(p)); err == nil || !strings.Contains(err.Error(), "was gone 3 times") ||
		len(run.Failures) != serviceDeaths {
		t.Errorf("%v, %+v", err, run.Failures)
	}
	h.starts = map[string]int{}
	h.dies = func(start, thaws int) bool { return start == 2 }
	if _, err = b.Run(t.Context(), wholePlan(p)); err == nil ||
		!strings.Contains(err.Error(), "the service records: it exited") {
		t.Errorf("in the pilot: %v", err)
	}
}

// No contestant fails because its relay to a service ended: the epoch ends, and the failure names the relay.
func TestRelayThatEnds(t *testing.T) {
	b, h, _, p := relaySet(t)
	h.unlinked = 5
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	f := run.FailureOf(serviceName)
	if f == nil || len(run.Failures) != 1 ||
		!strings.Contains(f.Reason, "dyno's relay to it from the network of b ended: signal: killed") {
		t.Errorf("failures %+v", run.Failures)
	}
	if len(run.Resumes) != 1 || run.End.Reason != string(plan.Decided) {
		t.Errorf("resumes %+v, end %+v", run.Resumes, run.End)
	}
}

// A service is started once for each contestant, or once for the run, as the plan says; contestants
// find their own.
func TestServicesForEachAndForTheRun(t *testing.T) {
	b, h, _, _ := set(t)
	sc := *h.scenario
	sc.Services = []scenario.Service{{Name: "db", Start: "db", Each: true, Env: map[string]string{"DB": "{host}:{port}"}},
		{Name: "cache", Start: "cache", Reset: "run", Env: map[string]string{"CACHE": "x://{host}:{port}/0"}}}
	h.scenario, b.Scenario = &sc, &sc
	p := small("a", "b")
	p.Services = Services(&sc)
	callers := 0
	h.launch = func(name string, _ int) error { // while its services run: another may get their ports later
		h.mu.Lock()
		defer h.mu.Unlock()
		l := h.told[len(h.told)-1]
		if l.Instance != "" {
			return nil
		}
		callers++
		db, cache := h.servers[l.Env["DB"]], h.servers[strings.TrimSuffix(strings.TrimPrefix(l.Env["CACHE"], "x://"), "/0")]
		if db == nil || db.name != "db of "+name || cache == nil || cache.name != "cache" {
			t.Errorf("%s was told %v", name, l.Env)
		}
		return nil
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Failures) > 0 {
		t.Fatalf("%v, %+v", err, run.Failures)
	}
	if h.starts["cache"] != 1 {
		t.Errorf("the cache was started %d times", h.starts["cache"])
	}
	if h.starts["db"] == 0 || h.starts["db"] > callers {
		t.Errorf("%d databases for %d processes", h.starts["db"], callers)
	}
	for _, tr := range run.Trials {
		if tr.Contestant != p.Ceiling && len(tr.Services) != 2 {
			t.Fatalf("%s: services %+v", tr.Contestant, tr.Services)
		}
	}
	if h.running != 0 || len(h.thawed) != 0 {
		t.Errorf("%d still run, thawed %v", h.running, h.thawed)
	}
}

// A database that does not start, or is killed while a contestant is loaded, fails alone. The run goes
// on in the next epoch, and ends when it has died three times.
func TestDatabaseThatFails(t *testing.T) {
	cached := func(b *Bench, h *fakeHost) record.Plan {
		sc := *h.scenario
		sc.Services = []scenario.Service{{Name: "cache", Start: "cache"}}
		h.scenario, b.Scenario = &sc, &sc
		p := small("a", "b")
		p.Services = Services(&sc)
		return p
	}
	b, h, _, _ := set(t)
	p := cached(b, h)
	h.launch = func(name string, n int) error {
		if name == "cache" && n == 4 {
			return errors.New("port 5432 is in use")
		}
		return nil
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Failures) != 1 || len(run.Resumes) != 1 {
		t.Fatalf("%v, failures %+v, resumes %+v", err, run.Failures, run.Resumes)
	}
	if f := run.Failures[0]; f.Contestant != "cache" || f.Stage != "launch" || f.Reason != "port 5432 is in use" {
		t.Errorf("%+v", f)
	}

	b, h, _, _ = set(t)
	p = cached(b, h)
	h.dies = func(start, thaws int) bool { return start > 2 && thaws > 2 }
	run, err = b.Run(t.Context(), wholePlan(p))
	if err == nil || !strings.Contains(err.Error(), "the service cache was gone 3 times") {
		t.Errorf("%v", err)
	}
	if len(run.Failures) != serviceDeaths || slices.ContainsFunc(run.Failures, func(f record.Failure) bool {
		return f.Contestant != "cache" || !strings.Contains(f.Reason, "it exited: signal: killed")
	}) {
		t.Errorf("failures %+v", run.Failures)
	}
}
