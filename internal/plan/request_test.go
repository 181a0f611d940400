package plan

import (
	stdcmp "cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
	"dyno/internal/wire"
)

// someWorld has contestants c0 to c9 that serve values, of which c1 is managed, and the scenario
// relay with a service.
func someWorld() World {
	return World{
		Dyno: "v1", Seed: 5, Now: time.Unix(1_500_000_000, 0),
		Contestant: func(name string) (Contestant, error) {
			if strings.HasPrefix(name, "ref") || name == "null" {
				return Contestant{}, nil
			}
			if len(name) != 2 || name[0] != 'c' {
				return Contestant{}, fmt.Errorf("no contestant %q", name)
			}
			return Contestant{Managed: name == "c1", Scenarios: []string{"values", "relay"}}, nil
		},
		Scenario: func(name string) (Scenario, error) {
			s, ok := map[string]Scenario{
				"values": {Title: "Values"}, "rest": {Title: "Rest"}, "relay": {Title: "Relay", Services: records},
			}[name]
			if !ok {
				return s, fmt.Errorf("no scenario %q", name)
			}
			return s, nil
		},
		Answered: func(first string, others []string) ([]string, bool, bool) {
			return nil, first == "values", first == "values"
		},
	}
}

// someQuestion is a study at two levels.
func someQuestion() Question {
	cell := func(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }
	return Question{
		Study: "s", Title: "Which?", ClaimsHash: "h", Scenario: "values", Primary: "throughput",
		Contestants: []string{"c0", "c1"},
		Levels:      []record.Level{{Connections: 10, Pipeline: 1}, {Connections: 20, Pipeline: 1}},
		LevelNames:  []string{"few", "many"}, Cells: []record.Cell{cell("c0", 0), cell("c1", 0), cell("c0", 1),
			cell("c1", 1)},
		Family: []record.Comparison{{A: cell("c0", 0), B: cell("c1", 0)}}, Uncontrolled: []int{1},
		Rounds: 3, ExtraEpochs: 2, Epochs: 9, Budget: 8 * time.Minute, Duration: 20 * time.Second,
		Requests: 1000, Heap: true,
	}
}

// What a study asks, each protocol takes as far as it can measure it.
func TestQuestionByProtocol(t *testing.T) {
	for _, c := range []struct {
		protocol string
		want     record.Plan
	}{
		{"paired", record.Plan{Levels: someQuestion().Levels, Study: record.OfStudy{LevelNames: []string{"few", "many"}},
			Cells:  append(someQuestion().Cells, cell("ref", 0), cell("ref'", 0), cell("null", 0)),
			Family: someQuestion().Family, ExtraEpochs: []int{2, 2}, Rounds: 3, Pilots: 1,
			Epochs: []int{3, 5, 7, 8, 9}, Links: record.Links{Layouts: 10},
			Ceiling: "null", Controls: []string{"ref", "ref'"}, Load: record.LoadLength{NS: 1e8, RewarmNS: 3e7, UnloadedNS: 5e7},
			Last:     record.Last{Long: record.LastLoads{NS: 2e9, Contestants: 2}, Rated: record.LastLoads{NS: 3.5e9}},
			BudgetNS: int64(8 * time.Minute)}},
		{"sweep", record.Plan{Levels: someQuestion().Levels, Study: record.OfStudy{LevelNames: []string{"few", "many"}},
			Cells: append(someQuestion().Cells, cell("ref", 0), cell("ref'", 0), cell("null", 0), cell("ref", 1),
				cell("ref'", 1),
				cell("null", 1)),
			Family: []record.Comparison{{A: cell("c0", 0), B: cell("c1", 0)}, {A: cell("c0", 1), B: cell("c1", 1)}},
			Rounds: 4, Pilots: 1, Links: record.Links{Layouts: 16}, ExtraEpochs: []int{2, 2},
			Epochs: []int{8}, Load: record.LoadLength{UnloadedNS: 5e7, NS: 1e8, RewarmNS: 3e7}, Ceiling: "null",
			Controls: []string{"ref", "ref'"},
			BudgetNS: int64(4 * time.Minute)}},
		{"classic", record.Plan{Rounds: 1, Epochs: []int{1}, Load: record.LoadLength{NS: 20e9, Requests: 1000},
			BudgetNS: int64(24 * time.Hour),
			Levels:   someQuestion().Levels[:1], ExtraEpochs: []int{2}, Processes: record.PerLoad,
			Cells: []record.Cell{cell("c0", 0), cell("c1", 0)}}},
	} {
		got, err := New(Request{Question: someQuestion(), Protocol: c.protocol, Command: "dyno run s"}, someWorld())
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		want.Processes = stdcmp.Or(want.Processes, record.PerEpoch)
		want.Format, want.Origin.Dyno, want.Origin.Command, want.Profile, want.Study.Slug,
			want.Study.ClaimsHash = record.Format, "v1",
			"dyno run s", Standard, "s", "h"
		want.Title, want.Scenario, want.Contestants, want.Servers.Managed = "Which?", "values", []string{"c0", "c1"},
			[]string{"c1"}
		want.Heap, want.Seed, want.Primary, want.Alpha, want.Margin = true, 5,
			"throughput", 0.05, 0.03
		want.Origin.StartedUnixNS = 1_500_000_000e9
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.protocol, diff)
		}
	}
}

// What is asked for by hand goes before the study's; then none of its claims is judged.
func TestAskedByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Request
		ok   func(p *record.Plan) bool
	}{
		{"contestants", Request{Contestants: []string{"c2", "c3"}}, func(p *record.Plan) bool {
			return p.Study.Slug == "" && p.Study.ClaimsHash == "" && p.Title == "Values" && len(p.Levels) == 1 &&
				p.First().Connections == 10 && p.Rounds == 12 &&
				p.BudgetNS == int64(5*time.Minute) && !p.Heap && slices.Equal(p.Epochs, []int{3, 5, 7, 8, 10, 12, 24})
		}},
		{"three contestants", Request{Contestants: []string{"c0", "c2", "c3"}}, func(p *record.Plan) bool {
			return slices.Equal(p.Epochs, []int{3, 5, 8, 12, 24, 48})
		}},
		{"scenario", Request{Scenario: "relay"}, func(p *record.Plan) bool {
			return p.Study.Slug == "s" && p.Study.ClaimsHash == "" && p.Ranks() && p.First().Records == DefaultRecords &&
				p.Source() == "records" &&
				p.Ceiling == "records" && p.Rounds == 3
		}},
		{"connections", Request{Connections: []int{50}}, func(p *record.Plan) bool {
			return p.Study.Slug == "s" && len(p.Levels) == 1 && p.Ranks() && p.First().Connections == 50 &&
				p.Study.ClaimsHash == "h"
		}},
		{"sweep", Request{Protocol: "sweep", Connections: []int{5, 6}, Delays: []time.Duration{0, time.Second}},
			func(p *record.Plan) bool {
				return len(p.Levels) == 4 && p.Levels[1].Connections == 6 && p.Levels[2].DelayNS == 1e9 &&
					len(p.Family) == 4 &&
					p.Pilots == 2
			}},
		{"duration", Request{Protocol: "classic", Duration: time.Second},
			func(p *record.Plan) bool { return p.Load.NS == 1e9 && p.Load.Requests == 0 }},
		{"requests", Request{Protocol: "classic", Requests: 7}, func(p *record.Plan) bool {
			return p.Load.NS == 20e9 && p.Load.Requests == 7
		}},
		{"epochs and budget", Request{Epochs: 10, Budget: time.Hour, Seed: 9}, func(p *record.Plan) bool {
			return slices.Max(p.Epochs) == 10 && p.BudgetNS == 3600e9 && p.Seed == 9
		}},
		{"no controls", Request{Controls: []string{"none"}}, func(p *record.Plan) bool {
			return len(p.Controls) == 0 && p.Ceiling == ""
		}},
		{"full", Request{Profile: "full", Contestants: []string{"c0", "c1", "c2", "c3", "c4"}},
			func(p *record.Plan) bool {
				return p.BudgetNS == int64(30*time.Minute) && len(p.Controls) == 2 && p.Pilots == 2 &&
					len(p.Levels) == 1 && p.Rated == record.LastLoads{NS: 5.5e9}
			}},
	} {
		c.r.Question = someQuestion()
		p, err := New(c.r, someWorld())
		if err != nil || !c.ok(&p) {
			t.Errorf("%s: %v, %+v", c.name, err, p)
		}
	}
}

// Levels use the services of the plan's scenario or none, and no other ones.
func TestServicesOfLevels(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"relay", "values", ""},
		{"values", "relay", "because relay uses services that values does not"},
	} {
		q := someQuestion()
		q.Scenario, q.Levels[0].Records, q.Levels[1].Records, q.Levels[1].Scenario = c.first, 10, 10, c.second
		if c.first == "values" {
			q.Levels[0].Records = 0
		}
		_, err := New(Request{Question: q}, someWorld())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.first, c.second, err)
		}
	}
}

// A bad request is refused in the words of the command line.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Protocol: "race"}, "--protocol \"race\": want one of paired, sweep, classic"},
		{Request{Profile: "fast"}, "want standard or full"},
		{Request{Connections: []int{1, 2}}, "need --protocol sweep"},
		{Request{Connections: []int{0}}, "--connections 0: want 1 to 60000"},
		{Request{Delays: []time.Duration{time.Hour}}, "--delay 1h0m0s"},
		{Request{Alpha: 2}, "--alpha 2"},
		{Request{Margin: 1}, "--margin 1"},
		{Request{Budget: -1}, "--budget -1ns"},
		{Request{Epochs: -1}, "--epochs -1"},
		{Request{Epochs: 7}, "--epochs 7: a comparison is judged after 8 epochs or more"},
		{Request{Requests: 5}, "--requests applies only to --protocol classic"},
		{Request{Protocol: "sweep", Epochs: -1}, "--epochs -1"},
		{Request{Protocol: "classic", Requests: 5, Duration: 5}, "--requests and --duration exclude each other; " +
			"pass one of them"},
		{Request{Primary: "speed"}, "--primary \"speed\""},
		{Request{Primary: "p99"}, "A p99 varies too much to decide"},
		{Request{Primary: "response_p99"}, "A p99 varies too much to decide"},
		{Request{Controls: []string{"ref'"}}, "--controls \"ref'\": want ref, or ref and its copy"},
		{Request{Controls: []string{"null"}}, "--controls \"null\": want ref"},
		{Request{Controls: []string{"ref", "c0"}}, "--controls \"ref,c0\": want ref"},
		{Request{Contestants: []string{"ref"}}, "both a contestant and a control"},
		{Request{Contestants: []string{"c0", "c0"}}, "named twice"},
		{Request{Contestants: []string{"gone"}}, "no contestant \"gone\""},
		{Request{Scenario: "nothing"}, "no scenario \"nothing\""},
		{Request{Scenario: "rest"}, "c0 does not serve the scenario \"rest\"; it serves only values, relay"},
		{Request{Records: []int{5}}, "--records: the scenario values uses no service"},
		{Request{Scenario: "relay", Records: []int{-5}}, "--records -5"},
	} {
		c.r.Question = someQuestion()
		_, err := New(c.r, someWorld())
		var refused *RequestError
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(c.want, "no ") &&
			!errors.As(err, &refused) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
}

// A budget that is short for the standard profile gets fewer rounds, then a shorter warm-up, before it
// is refused.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		budget  time.Duration
		second  string // c1 is managed
		rounds  func(n int) bool
		profile string
	}{
		{3 * time.Minute, "c2", func(n int) bool { return n == 12 }, Standard},
		{45 * time.Second, "c2", func(n int) bool { return n < 12 && n >= judge.TrendRounds }, Standard},
		{3 * time.Minute, "c1", func(n int) bool { return n == 12 }, Standard},
		{time.Minute, "c1", func(n int) bool { return n == judge.TrendRounds }, "brief"},
	} {
		r := Request{Contestants: []string{"c0", c.second}, Scenario: "values", Primary: "throughput",
			Controls: []string{"none"},
			Budget:   c.budget}
		p, err := New(r, someWorld())
		if err != nil {
			t.Fatal(err)
		}
		cost, err := Estimate(&p)
		if err != nil || !c.rounds(p.Rounds) || p.Profile != c.profile || cost.Analyses[len(cost.Analyses)-1].N < 5 ||
			cost.Whole > c.budget {
			t.Errorf("%v, %s: %s, %d rounds, %+v, %v", c.budget, c.second, p.Profile, p.Rounds, cost, err)
		}
		r.Profile = "full"
		if p, _ := New(r, someWorld()); p.Rounds != 20 {
			t.Errorf("a profile that is asked for has %d rounds", p.Rounds)
		}
	}
}

// A study of many servers has epochs to spare in its budget, with rounds enough to find out which of
// them do not count; one of two has all its rounds.
func TestAStudyHasEpochsToSpare(t *testing.T) {
	w := someWorld()
	w.Contestant = func(name string) (Contestant, error) {
		return Contestant{Managed: slices.Contains([]string{"c1", "c2", "c3"}, name)}, nil
	}
	for _, c := range []struct {
		names  []string
		rounds int
	}{{[]string{"c0", "c1"}, 12}, {[]string{"c0", "c1", "c2", "c3", "c4", "c5", "c6"}, 8}} {
		p, err := New(Request{Question: Question{Study: "s", Scenario: "values", Primary: "throughput",
			Contestants: c.names}}, w)
		if err != nil {
			t.Fatal(err)
		}
		cost, err := Estimate(&p)
		if err != nil {
			t.Fatal(err)
		}
		last := cost.Analyses[len(cost.Analyses)-1].N
		if p.Rounds != c.rounds || last <= stats.Least {
			t.Errorf("%d rounds, %d epochs", p.Rounds, last)
		}
	}
}

// TestUnserved: who does not serve a level's protocol is not measured there, and the plan says so.
func TestUnserved(t *testing.T) {
	world := someWorld()
	world.Contestant = func(name string) (Contestant, error) {
		return map[string]Contestant{"plain": {Protocols: []wire.HTTP{wire.Clear}},
			"both": {Protocols: []wire.HTTP{wire.Clear, wire.H2}}, "also": {}}[name], nil
	}
	clear, two := record.Level{Connections: 10, Pipeline: 1}, record.Level{Connections: 10, Pipeline: 1, HTTP: wire.H2}
	at := func(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }
	names := []string{"plain", "both", "also"}
	q := Question{Scenario: "values", Primary: "throughput", Contestants: names, ClaimsHash: "h",
		Levels: []record.Level{clear, two}}
	for _, c := range []struct {
		name     string
		ask      func(r *Request)
		left     []string
		cells    []record.Cell
		family   int
		unserved []record.Unserved
		refused  string
	}{
		{"all pairs", func(*Request) {}, names, []record.Cell{at("plain", 0), at("both", 0), at("both", 1), at("also", 0),
			at("also", 1)}, 3, []record.Unserved{{Contestant: "plain", HTTP: wire.H2}}, ""},
		{"a family", func(r *Request) {
			r.Question.Cells = []record.Cell{at("plain", 1), at("both", 0), at("both", 1), at("plain", 0)}
			r.Question.Contestants = names[:2]
			r.Question.Family = []record.Comparison{{A: at("plain", 0), B: at("plain", 1)}, {A: at("both", 0), B: at("both", 1)}}
		}, names[:2], []record.Cell{at("both", 0), at("both", 1), at("plain", 0)}, 1,
			[]record.Unserved{{Contestant: "plain", HTTP: wire.H2}}, ""},
		{"no pair", func(r *Request) {
			r.Question.Cells, r.Question.Contestants = []record.Cell{at("plain", 1), at("plain", 0)}, names[:1]
			r.Question.Family = []record.Comparison{{A: at("plain", 0), B: at("plain", 1)}}
		}, nil, nil, 0, nil, "nothing is left to compare"},
		{"one level", func(r *Request) { r.HTTP = &two.HTTP }, names[1:], []record.Cell{at("both", 0), at("also", 0)}, 1,
			[]record.Unserved{{Contestant: "plain", HTTP: wire.H2}}, ""},
		{"nobody", func(r *Request) { r.HTTP, r.Question.Contestants = &two.HTTP, names[:1] }, nil, nil, 0, nil,
			"plain does not serve HTTP/2 over TLS"},
		{"all", func(r *Request) { r.HTTP = &clear.HTTP }, names,
			[]record.Cell{at("plain", 0), at("both", 0), at("also", 0)}, 3, nil, ""},
	} {
		r := Request{Question: q}
		c.ask(&r)
		p, err := New(r, world)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		own := slices.DeleteFunc(p.Cells, func(c record.Cell) bool { return !slices.Contains(p.Contestants, c.Contestant) })
		if diff := cmp.Diff(c.left, p.Contestants) + cmp.Diff(c.cells, own) + cmp.Diff(c.unserved,
			p.Servers.Unserved); diff != "" || len(p.Family) != c.family {
			t.Errorf("%s: %s; %d comparisons", c.name, diff, len(p.Family))
		}
		if r.HTTP != nil && (len(p.Levels) != 1 || p.First().HTTP != *r.HTTP || p.Study.ClaimsHash != "") {
			t.Errorf("%s: levels %+v, claims %q", c.name, p.Levels, p.Study.ClaimsHash)
		}
	}
}

// TestStreams: streams are of HTTP/2 alone.
func TestStreams(t *testing.T) {
	world := someWorld()
	world.Contestant = nil
	two := wire.H2
	r := Request{Contestants: []string{"a", "b"}, Scenario: "values", Primary: "throughput", HTTP: &two, Streams: 10}
	p, err := New(r, world)
	if err != nil || p.First().Pipeline != 10 || p.First().HTTP != two {
		t.Errorf("%+v, %v", p.First(), err)
	}
	r.HTTP = nil
	if _, err := New(r, world); err == nil || !strings.Contains(err.Error(), "pass --http h2 or --http h2c, too") {
		t.Errorf("without a protocol: %v", err)
	}
}

// TestCeilingByProtocol: the null server is loaded in HTTP/2 where it has one response, and is not part
// of what it does not answer.
func TestCeilingByProtocol(t *testing.T) {
	levels := []record.Level{{Connections: 10, Pipeline: 1}, {Connections: 10, Pipeline: 1, HTTP: wire.H2C}}
	for _, alike := range []bool{true, false} {
		world := someWorld()
		world.Contestant = nil
		world.Answered = func(string, []string) ([]string, bool, bool) { return nil, alike, true }
		for n := range 2 { // with HTTP/1.1, and without
			p, err := New(Request{Protocol: sweep, Question: Question{Scenario: "values", Primary: "throughput",
				Contestants: []string{"a", "b"}, Levels: levels[n:]}}, world)
			if err != nil {
				t.Fatal(err)
			}
			want := 2 - n
			if !alike {
				want--
			}
			if got := len(Asked(&p, "null")); p.Ceiling == "" != (want == 0) || p.Ceiling != "" && got != want {
				t.Errorf("alike %t, from level %d: ceiling %q, asked %d; want %d", alike, n, p.Ceiling, got, want)
			}
		}
	}
}

// The least budget of two servers that compile is 20 s, and a smaller one is refused by the same
// figures: what the least that it names has time for.
func TestLeastBudget(t *testing.T) {
	w := World{Contestant: func(string) (Contestant, error) { return Contestant{Managed: true}, nil }}
	r := Request{Question: Question{Scenario: "values", Primary: "throughput", Contestants: []string{"c0", "c1"}},
		Controls: []string{"none"}, Budget: 20 * time.Second}
	p, err := New(r, w)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Estimate(&p); err != nil || c.Epochs != 3 || c.Whole > 20*time.Second {
		t.Errorf("%+v, %v", c, err)
	}
	r.Budget = 10 * time.Second
	if p, err = New(r, w); err != nil {
		t.Fatal(err)
	}
	if _, err = Estimate(&p); err == nil || !strings.Contains(err.Error(), "at least 3 epochs of ") ||
		!strings.Contains(err.Error(), "pass --budget 20s or more") {
		t.Error(err)
	}
}
