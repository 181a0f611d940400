package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
	"dyno/internal/wire"
)

// Request describes the run that the user requests. Its fields are named after the flags in dyno
// run, so that error messages can name the flag. A field with its zero value takes the value
// from the Question, else from the profile or the preset.
type Request struct {
	Question Question // the study's question; the zero value asks nothing
	Command  string   // command line that repeats the run

	Protocol    string // paired, sweep or classic; "": paired
	Profile     string // standard or full; "": standard
	Title       string // "": from the study or the scenario
	Contestants []string
	Controls    []string // reference servers; "none" alone or an empty list: none; nil: both, ref and its copy
	Scenario    string
	Primary     string
	Connections []int // numbers of connections; with Delays and Records, every combination is a level
	// where servers run: Apart, AsPublished, or numbers of CPUs; every level is on each; none: as
	// the levels say
	Placement []string
	Delays    []time.Duration
	Records   []int
	HTTP      *wire.HTTP // protocol at all levels; nil: as the levels say
	Streams   int64      // requests in flight on each HTTP/2 connection; 0: as the levels say
	Alpha     float64
	Margin    float64
	// SameProgram says that the contestants are revisions, or builds, of one program.
	SameProgram bool
	Budget      time.Duration
	Seed        uint64 // 0: the World's
	Relink      int    // paired: linker seed (record.Links.Relink)

	NoRated  bool          // paired: no open loops after the epochs (ratedLoads)
	Epochs   int           // number of epochs; in a paired comparison the largest number
	Requests int64         // classic: number in one load
	Duration time.Duration // classic: length of one load
	OwnRun   string        // classic: a name in the question's Classics; "": the first
}

// Question is what a study asks. Cells, Family, Uncontrolled and LevelExtraEpochs count Levels
// as record.Plan does. Without Cells every contestant is loaded at every level; without a Family
// all pairs are decided at the first level.
type Question struct {
	Study, Title, ClaimsHash string
	Scenario, Primary        string
	Contestants              []string
	Levels                   []record.Level
	LevelNames               []string
	Cells                    []record.Cell
	Family                   []record.Comparison
	Uncontrolled             []int
	Rounds, ExtraEpochs      int
	Epochs                   int // number of epochs; in a paired comparison the largest number
	LevelExtraEpochs         []int
	Budget, Duration         time.Duration
	Requests                 int64
	Heap, Fresh              bool
	Classics                 []ClassicRun

	allPairsAt []int // levels at which all pairs are decided, where they are not the first
}

// ClassicRun is the article's own run, as its study has it.
type ClassicRun struct {
	Name        string
	Contestants []string
	Level       record.Level
	Requests    int64
	Duration    time.Duration // where Requests is 0
}

// World holds the facts that a plan needs in addition to the Request. In the zero value all
// contestants are native and serve every scenario, and so does the null server.
type World struct {
	Dyno string // dyno's version
	// Servers is the number of CPUs that servers have here, where a level names none.
	Servers int
	Room    func(servers int) error // error if servers cannot have so many CPUs here beside the generator
	Seed    uint64                  // chosen at random, for a request without a seed
	Now     time.Time

	Contestant func(name string) (Contestant, error) // the error says that there is no such contestant
	Scenario   func(name string) (Scenario, error)
	// Answered returns the further scenarios that the null server answers besides scenario, and
	// whether all its responses are alike. ok is false if it does not answer scenario.
	Answered func(scenario string, others []string) (also []string, alike, ok bool)
}

// Contestant holds the facts about a contestant or a reference server that a plan needs.
type Contestant struct {
	Managed   bool
	Attached  bool        // it is already running and is not restarted
	Scenarios []string    // scenarios that it serves; nil: all
	Protocols []wire.HTTP // forms of HTTP that it serves; nil: all
	CPUs      int         // CPUs that it needs
}

// Scenario holds the facts about a scenario that a plan needs.
type Scenario struct {
	Title    string
	Services []record.Service // the programs that contestants call

	Pipeline, PerConnection int // of levels that have none of their own
}

// RequestError says why a request has no plan, and what to request instead.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RequestError) Unwrap() error { return e.Err }

func refuse(format string, args ...any) error { return &RequestError{fmt.Errorf(format, args...)} }

// DefaultRecords is the number of records in an answer of the source, unless the request or the study
// sets it.
const DefaultRecords = 10

// defaultAlpha is a run's family-wise error rate, unless the request sets it.
const defaultAlpha = 0.05

// New makes the plan for a request, or returns a RequestError. It is pure: the same request in
// the same World gives the same plan.
func New(r Request, w World) (record.Plan, error) {
	preset, err := presetOf(cmp.Or(r.Protocol, paired))
	if err != nil {
		return record.Plan{}, err
	}
	profile, ok := profiles[cmp.Or(r.Profile, Standard)]
	if !ok {
		return record.Plan{}, refuse("--profile %q: want standard or full", r.Profile)
	}
	q, err := r.question(preset)
	if err != nil {
		return record.Plan{}, err
	}
	p := record.Plan{
		Format: record.Format, Origin: record.Origin{Dyno: w.Dyno, Command: r.Command}, Profile: profile.name,
		Study: record.OfStudy{Slug: q.Study, ClaimsHash: q.ClaimsHash}, Title: q.Title, Scenario: q.Scenario,
		Contestants: q.Contestants,
		Controls:    r.controls(&q, preset), Heap: q.Heap,
		Processes: record.PerEpoch, Seed: cmp.Or(r.Seed, w.Seed), Primary: q.Primary,
		Alpha:  cmp.Or(r.Alpha, defaultAlpha),
		Margin: cmp.Or(r.Margin, defaultMargin), SameProgram: r.SameProgram,
	}
	if !w.Now.IsZero() {
		p.Origin.StartedUnixNS = w.Now.UnixNano()
	}
	preset.lay(&p, &q)
	err = cmp.Or(w.unserved(&p, preset.named && len(q.Family) > 0), r.check(&p, preset), w.services(&p),
		w.check(&p), w.processors(&p))
	if err != nil {
		return p, err
	}
	uncontrolled, answers := q.Uncontrolled, w.ceiling(&p)
	if !preset.named {
		uncontrolled = nil
	}
	apart := slices.ContainsFunc(p.Levels, func(l record.Level) bool { return !l.AsPublished })
	if !apart || preset.inTurn {
		p.Ceiling = "" // their loads do not show the generator's ceiling
	}
	if preset.inTurn {
		p.Controls = nil
	}
	Ride(&p, uncontrolled, answers)
	preset.arrange(&p, &r, &q, profile)
	return p, nil
}

// lay sets a question's levels, its cells, and the comparisons that are decided.
func (t *preset) lay(p *record.Plan, q *Question) {
	several := t.inRounds() && len(q.Levels) > 1
	p.Levels, p.Cells = q.Levels[:1:1], nil
	if several {
		p.Levels, p.Study.LevelNames, p.Cells = slices.Clone(q.Levels), q.LevelNames, q.Cells
	}
	for i := range p.Levels {
		n := cmp.Or(q.ExtraEpochs, leastExtra)
		if t.named && several && i < len(q.LevelExtraEpochs) {
			n = cmp.Or(q.LevelExtraEpochs[i], n)
		}
		p.ExtraEpochs = append(p.ExtraEpochs, n)
	}
	switch {
	case t.inTurn:
		p.Processes = record.PerLoad
	case q.Fresh:
		p.Processes = record.PerPart
	}
	if several && t.named {
		p.Family = q.Family
	}
	p.Complete()
	if !t.named && t.inRounds() {
		p.Family = sweepPairs(p)
	} else if several && len(q.allPairsAt) > 0 {
		p.Family = p.PairsAt(q.allPairsAt...)
	}
}

// firstLevel is the level for a request without a study.
var firstLevel = record.Level{Connections: 125, Pipeline: 1}

// question returns the study's question with the requested changes. A changed question loses the
// study's claims.
func (r *Request) question(t *preset) (Question, error) {
	q := r.Question
	if len(q.Levels) == 0 {
		q.Levels = []record.Level{firstLevel}
	}
	if err := r.classic(&q, t); err != nil {
		return q, err
	}
	alone := func(levels ...record.Level) { // levels that no claim names
		q.Levels, q.LevelNames, q.Cells, q.Family, q.Uncontrolled = levels, nil, nil, nil, nil
		q.LevelExtraEpochs = nil
	}
	if len(r.Contestants) > 0 {
		q = Question{Scenario: q.Scenario, Primary: q.Primary, Contestants: r.Contestants, Levels: q.Levels}
	}
	if len(r.Contestants) > 0 || r.Scenario != "" {
		first := q.Levels[0]
		first.Scenario, first.Records, q.ClaimsHash = "", 0, ""
		alone(first)
	}
	q.Title, q.Scenario, q.Primary = cmp.Or(r.Title, q.Title), cmp.Or(r.Scenario, q.Scenario),
		cmp.Or(r.Primary, q.Primary)
	levels := r.levels(q.Levels[0])
	if len(levels) > 1 && !t.levels {
		return q, refuse("several values of --connections, --records or --delay need --protocol sweep; pass it, or " +
			"one value of each")
	}
	if len(levels) > 0 {
		alone(levels...)
	}
	if r.HTTP != nil || r.Streams > 0 {
		changed, err := r.spoken(q.Levels)
		switch {
		case err != nil:
			return q, err
		case len(changed) < len(q.Levels):
			alone(changed...)
			q.ClaimsHash = ""
		case !slices.Equal(changed, q.Levels):
			q.Levels, q.LevelNames, q.ClaimsHash = changed, nil, ""
		}
	}
	return q, r.spread(&q, t)
}

// spoken returns levels with the requested HTTP version and streams, each once.
func (r *Request) spoken(levels []record.Level) (all []record.Level, err error) {
	for _, l := range levels {
		if r.HTTP != nil {
			l.HTTP = *r.HTTP
		}
		if r.Streams > 0 {
			if !l.HTTP.Two() {
				return nil, refuse("--streams %d: it is for connections of HTTP/2; pass --http h2 or --http h2c, too",
					r.Streams)
			}
			l.Pipeline = int(r.Streams)
		}
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all, nil
}

// classic replaces q with one of its classic runs, if the preset makes such runs.
func (r *Request) classic(q *Question, t *preset) error {
	if !t.inTurn || len(q.Classics) == 0 && r.OwnRun == "" {
		return nil
	}
	var names []string
	for _, c := range q.Classics {
		if c.Name != "" {
			names = append(names, strconv.Quote(c.Name))
		}
		if r.OwnRun == "" || r.OwnRun == c.Name {
			*q = Question{Study: q.Study, Title: q.Title, ClaimsHash: q.ClaimsHash, Scenario: q.Scenario, Primary: q.Primary,
				Contestants: c.Contestants, Levels: []record.Level{c.Level}, Requests: c.Requests, Duration: c.Duration,
				Heap: q.Heap}
			return nil
		}
	}
	return refuse("--classic %q: the study has no classic run of that name; those with a name are: %s", r.OwnRun,
		cmp.Or(strings.Join(names, ", "), "none"))
}

// levels returns all combinations of the requested values, based on level. It is nil if the
// request sets none.
func (r *Request) levels(level record.Level) (all []record.Level) {
	if len(r.Connections)+len(r.Delays)+len(r.Records) == 0 {
		return nil
	}
	for _, d := range or(r.Delays, time.Duration(level.DelayNS)) {
		for _, n := range or(r.Records, level.Records) {
			for _, c := range or(r.Connections, level.Connections) {
				level.DelayNS, level.Records, level.Connections = int64(d), n, c
				all = append(all, level)
			}
		}
	}
	return all
}

// or returns list, or otherwise if list is empty.
func or[T any](list []T, otherwise T) []T {
	if len(list) == 0 {
		return []T{otherwise}
	}
	return list
}

// references are the reference server and its copy.
var references = []string{"ref", "ref'"}

// controls returns the run's reference servers.
func (r *Request) controls(q *Question, t *preset) []string {
	switch {
	case slices.Equal(r.Controls, []string{"none"}) || r.Controls != nil && len(r.Controls) == 0:
		return []string{}
	case len(r.Controls) > 0:
		return r.Controls
	case q.Fresh && t.inRounds(): // for each would cost as much as a contestant
		return []string{}
	}
	return slices.Clone(references)
}

// check returns an error for values out of range and for options that the preset does not have.
func (r *Request) check(p *record.Plan, t *preset) error {
	for _, o := range []struct {
		flag  string
		given bool
	}{
		{"classic", r.OwnRun != ""}, {"requests", r.Requests != 0}, {"duration", r.Duration != 0},
	} {
		if o.given && !t.inTurn {
			return refuse("--%s applies only to --protocol %s; omit it", o.flag, classic)
		}
	}
	if m, ok := judge.MetricNamed(p.Primary); !ok || m.Unranked || m.Kind == judge.TailTime {
		return refuse("--primary %q: want throughput, cpu_per_request, p50, memory, or with --rate response_p50. A p99 "+
			"varies too much to decide: a comparison shows it at its end, and dyno load --find finds the highest rate at "+
			"which it keeps an objective", p.Primary)
	}
	for _, l := range p.Levels {
		switch d := time.Duration(l.DelayNS); {
		case l.Connections < 1 || l.Connections > 60_000:
			return refuse("--connections %d: want 1 to 60000", l.Connections)
		case d < 0 || d > time.Minute:
			return refuse("--delay %v: want 0 to 1m", d)
		}
	}
	switch {
	case r.Budget < 0:
		return refuse("--budget %v: want more than 0", r.Budget)
	case p.Alpha <= 0 || p.Alpha >= 0.5:
		return refuse("--alpha %v: want more than 0 and less than 0.5", p.Alpha)
	case p.Margin <= 0 || p.Margin >= 1:
		return refuse("--margin %v: want a share, more than 0 and less than 1", p.Margin)
	case r.Epochs < 0:
		return refuse("--epochs %d: want 1 or more", r.Epochs)
	case t.named && r.Epochs > 0 && r.Epochs < stats.Least:
		return refuse("--epochs %d: a comparison is judged after %d epochs or more", r.Epochs, stats.Least)
	case r.Requests > 0 && r.Duration > 0:
		return refuse("--requests and --duration exclude each other; pass one of them")
	case r.Requests < 0 || r.Duration < 0:
		return refuse("--requests %d, --duration %v: want more than 0", r.Requests, r.Duration)
	}
	return nil
}
