package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

const backendName = "records"

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

// relaySet is a bench whose contestants pass on the backend's answers, with 3 and 40 records, and a
// plan for comparing two of them.
func relaySet(t *testing.T) (*Bench, *fakeHost, *fakeGenerator, record.Plan) {
	t.Helper()
	b, h, d, _ := set(t)
	h.scenario = &scenario.Scenario{Name: "relay", Backend: backendName,
		Requests: []scenario.Request{{Name: "relay", Method: "GET", Path: "/test", Weight: 1,
			Expect: scenario.Expect{Status: 200, JSONOf: "/data",
				Headers: map[string]string{"Content-Type": "application/json"}}}}}
	b.Scenario = h.scenario
	d.rates[backendName] = 90_000
	p := small("a", "b")
	p.Backend, p.Ceiling = backendName, backendName
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

func TestBackendAnswersAsTheLevelSays(t *testing.T) {
	b, h, d, p := relaySet(t)
	asked := map[string]bool{}
	d.asked = func(name string, job load.Job) {
		e := job.Scenario.Requests[0].Expect
		var want []uint64
		if e.Body == nil || json.Unmarshal([]byte(*e.Body), &want) != nil || *e.Body != h.records.body.Load() {
			t.Errorf("%s is held to %+v, the backend says %.60s", name, e, h.records.body.Load())
			return
		}
		asked[fmt.Sprint(name, " ", job.Scenario.Requests[0].Path, " ", len(want))] = true
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Failures) > 0 {
		t.Fatalf("%v, %+v", err, run.Failures)
	}
	for _, name := range []string{"a /test", "b /test", "ref /test", backendName + " /data"} {
		if !asked[name+" 3"] || !asked[name+" 40"] {
			t.Errorf("%s was not loaded at both levels: %v", name, asked)
		}
	}
	for _, tr := range run.Trials {
		switch own := tr.Contestant == backendName; {
		case own && (tr.Backend != nil || tr.Epoch >= p.Pilots):
			t.Errorf("the backend by itself, in epoch %d: %+v", tr.Epoch, tr.Backend)
		case !own && (tr.Backend == nil || tr.Backend.Processes != 1):
			t.Errorf("%s: the backend's account is %+v", tr.Contestant, tr.Backend)
		}
	}
	started := 0
	for _, l := range run.Launches {
		if l.Contestant == backendName && len(l.CPUs) == 1 && l.CPUs[0] == 1 && l.ReadyNS > 0 {
			started++
		}
	}
	// the pilot and the others; and the proof
	if epochs := 1 + len(plan.Epochs(run)); started != epochs || h.starts[backendName] != epochs+1 {
		t.Errorf("it was launched %d times, recorded %d times, in %d epochs", h.starts[backendName], started, epochs)
	}
}

func TestContestantIsHeldToTheBackend(t *testing.T) {
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

func TestBackendThatDies(t *testing.T) {
	b, h, _, p := relaySet(t)
	h.dies = func(start, thaws int) bool { return start == 5 && thaws == 6 } // in its third epoch after the pilot
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	f := run.FailureOf(backendName)
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
	if run, err = b.Run(t.Context(), wholePlan(p)); err == nil || !strings.Contains(err.Error(), "died 3 times") ||
		len(run.Failures) != backendDeaths {
		t.Errorf("%v, %+v", err, run.Failures)
	}
	h.starts = map[string]int{}
	h.dies = func(start, thaws int) bool { return start == 2 }
	if _, err = b.Run(t.Context(), wholePlan(p)); err == nil ||
		!strings.Contains(err.Error(), "the backend records: it exited") {
		t.Errorf("in the pilot: %v", err)
	}
}
