package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"dyno/internal/judge"
)

// The rules of claims are pure functions from the measurements and the claim. doc/studies.md describes and
// justifies them. Both confirming and contradicting need evidence: a claim that is neither is
// inconclusive, so that a bad run confirms nothing.

// Kinds of claims.
const (
	Ratio    = "ratio" // a over b is value
	Order    = "order" // cells, best first
	Equal    = "equal" // a and b are equal
	Trend    = "trend" // over the cells the metric rises, falls or stays
	Drop     = "drop"  // 1 − a/b is value percent, or exceeds the drop between two other cells
	Bound    = "bound" // a's metric is at most or at least a value that does not depend on the machine
	Most     = "most"  // more than half the cells have a property
	AllCells = "all"   // all cells have it

	Spread  = "spread"  // how far apart the cells are, on their own or against other cells
	Repeats = "repeats" // a's epochs are alike within a factor
)

// Claim is a conclusion in an article, as written in a study.toml. Check fills in optional keys.
type Claim struct {
	ID     string `toml:"id"`
	Text   string `toml:"text"`   // the conclusion in our words
	Source string `toml:"source"` // the study's if empty
	Place  string `toml:"place"`  // where in the source
	Note   string `toml:"note"`   // remark for readers

	Sentences   []string `toml:"sentences" json:",omitempty"`    // ids of the sentences that it judges: F-12
	NotTestable string   `toml:"not_testable" json:",omitempty"` // why no run can judge it

	Kind      string   `toml:"kind"`
	Metric    string   `toml:"metric"` // the study's primary metric if empty
	A         string   `toml:"a"`
	B         string   `toml:"b"`
	Cells     []string `toml:"cells"`
	Over      []string `toml:"over"`   // the claim is about the ratios cells ÷ over
	Than      []string `toml:"than"`   // drop: two cells with a smaller drop
	Value     float64  `toml:"value"`  // ratio: the factor; drop: percent
	Within    float64  `toml:"within"` // factor; ratio, drop: to the published value; repeats: between epochs
	Margin    float64  `toml:"margin"` // margin for equality, as a share; 0: the run's
	Direction string   `toml:"direction"`
	// AtLeast and AtMost are in base units; for a drop percent, for a spread and for ratios
	// factors.
	AtLeast *float64 `toml:"at_least"`
	AtMost  *float64 `toml:"at_most"`
	Near    float64  `toml:"near" json:",omitempty"` // most: within this share of the median over all

	Was       *Was   `toml:"was" json:"-"`       // nil: it was never amended
	Restates  string `toml:"restates" json:"-"`  // id of the claim that judges the same figure
	Answers   string `toml:"answers" json:"-"`   // letter of the article whose question it answers
	Withdrawn string `toml:"withdrawn" json:"-"` // why it is no longer a claim: it was one when a run was planned
}

// Ours reports whether dyno itself adds the claim to the article's.
func (c *Claim) Ours() bool { return strings.HasPrefix(c.Source, "Ours:") }

// Counts reports whether the claim is among the published ones: a figure counts once.
func (c *Claim) Counts() bool { return !c.Ours() && c.Restates == "" }

// Was holds an amended claim's former version, which turned out to be wrong after a run: the whole
// rule if it has a kind, else single keys.
type Was struct {
	Claim
	Testable bool   `toml:"testable"` // it was judged, and is not testable
	Why      string `toml:"why"`      // why it was wrong; "" if NotTestable explains it
}

// Before returns the claims as they were before they were amended, including withdrawn ones.
func Before(claims []Claim) []Claim {
	out := slices.Clone(claims)
	for i := range out {
		c := &out[i]
		w := c.Was
		c.Was, c.Withdrawn = nil, ""
		switch {
		case w == nil:
			continue
		case w.Kind != "":
			now := *c
			*c = w.Claim
			c.ID, c.Text, c.NotTestable = now.ID, now.Text, now.NotTestable
			c.Source, c.Place, c.Note, c.Sentences = now.Source, now.Place, now.Note, now.Sentences
		default:
			c.AtLeast, c.AtMost = cmp.Or(w.AtLeast, c.AtLeast), cmp.Or(w.AtMost, c.AtMost)
			c.Metric = cmp.Or(w.Metric, c.Metric)
		}
		if w.Testable {
			c.NotTestable = ""
		}
	}
	return out
}

// Current returns the claims that are not withdrawn.
func Current(claims []Claim) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.Withdrawn != "" })
}

// DefaultWithin is the factor within which a magnitude counts as the published one, because
// articles used other machines and versions.
const DefaultWithin = 1.25

// Cell is a contestant at a level. Level is empty for the first level if cells need not name it.
type Cell struct{ Contestant, Level string }

func (c Cell) String() string {
	if c.Level == "" {
		return c.Contestant
	}
	return c.Contestant + " @ " + c.Level
}

// ParseCell reads "iris-mvc" or "iris-mvc @ c125".
func ParseCell(s string) Cell {
	name, level, _ := strings.Cut(s, "@")
	return Cell{strings.TrimSpace(name), strings.TrimSpace(level)}
}

// parseCells parses a list of cells.
func parseCells(list []string) []Cell {
	out := make([]Cell, len(list))
	for i, s := range list {
		out[i] = ParseCell(s)
	}
	return out
}

// Pair holds two cells that a claim compares: A over B.
type Pair struct{ A, B Cell }

// All returns the cells that the claim names, in order, each once.
func (c *Claim) All() []Cell {
	var out []Cell
	for _, list := range [][]string{{c.A}, {c.B}, c.Cells, c.Over, c.Than} {
		for _, s := range list {
			if s != "" && !slices.Contains(out, ParseCell(s)) {
				out = append(out, ParseCell(s))
			}
		}
	}
	return out
}

// Pairs returns the comparisons that the claim depends on, in the order that the rules expect. A
// claim on many cells has none, because it would need too many.
func (c *Claim) Pairs() (out []Pair) {
	add := func(a, b string) { out = append(out, Pair{ParseCell(a), ParseCell(b)}) }
	last := len(c.Cells) - 1
	switch {
	case c.many() || c.Kind == Bound || c.Kind == Repeats || c.Kind == "":
	case len(c.Over) > 0: // ratios of cells
		for i := range c.Cells {
			add(c.Cells[i], c.Over[i])
		}
	case c.Kind == Order: // each with the next
		for i := range max(0, last) {
			add(c.Cells[i], c.Cells[i+1])
		}
	case c.Kind == Trend: // each with the one before, and the last with the first
		for i := range max(0, last) {
			add(c.Cells[i+1], c.Cells[i])
		}
		if last > 1 {
			add(c.Cells[last], c.Cells[0])
		}
	default:
		add(c.A, c.B)
		if len(c.Than) == 2 {
			add(c.Than[0], c.Than[1])
		}
	}
	return out
}

// many reports whether the claim is on many cells, any number of which may lack a figure.
func (c *Claim) many() bool { return c.Kind == Most || c.Kind == AllCells || c.Kind == Spread }

// Metric is the property that a claim or a published figure describes.
type Metric struct {
	Name, Title, Unit string // Unit is for our value: "1/s", "ns", "bytes", "B/s", "lines"
	More              bool   // larger is better
	Static            bool   // a property of the program, which has no interval
	Ours              string // why our programs cannot judge an article's figure for this metric; else ""
	Computed          string // how it is computed from other metrics if it was not measured
	Bytes             bool   // rate × bytes per exchange: computed, and a claim may name it
}

// static lists metrics of the program itself, which claims may name besides those in package
// analysis.
var static = []Metric{
	{Name: "lines_of_code", Title: "Lines of code", Unit: "lines", Static: true,
		Ours: "our programs were written anew, so their line counts say nothing about the article's programs"},
	{Name: "response_bytes", Title: "Response, head and body", Unit: "bytes", Static: true},
	{Name: "wrong_answers", Title: "Requests without a right answer", Unit: "answers", Static: true},
}

// Tail is a metric that articles print and no run shows: the service time that 1 % of a closed loop's
// requests exceed. A claim may name it, and is judged by its interval.
const Tail = "p99"

// computed lists published metrics that are computed from dyno's metrics.
var computed = []Metric{
	{Name: "time", Title: "Time to complete", Unit: "ns", Computed: "the number of requests ÷ our rate"},
	{Name: "latency_mean", Title: "Latency, mean", Unit: "ns", Computed: "connections ÷ our rate (Little's law)"},
	{Name: "bytes_per_sec", Title: "Throughput, read and written", Unit: "B/s", More: true, Bytes: true,
		Computed: "our rate × the bytes of a request and its response"},
	{Name: "read_per_sec", Title: "Throughput, read", Unit: "B/s", More: true, Bytes: true,
		Computed: "our rate × the bytes of a response"},
	{Name: lead, Title: "Lead in throughput", Unit: "%", More: true, Computed: "the ratio of our two rates"},
	{Name: drop, Title: "Drop in throughput", Unit: "%", Computed: "the ratio of our two rates"},
}

// Metrics with an argument after a colon: a number of requests, or another cell.
const (
	timeFor = "time"
	lead    = "lead"
	drop    = "drop"
)

// MetricNamed returns the metric with that name. "time:5000000" is the time to complete 5,000,000
// requests; "drop:a @ b" is the percentage by which throughput is lower than in the cell a @ b.
func MetricNamed(name string) (Metric, bool) {
	if m, ok := judge.MetricNamed(name); ok {
		return Metric{Name: m.Name, Title: m.Title, Unit: m.Unit, More: m.More}, true
	}
	if name == Tail {
		m := judge.ClassicNamed(name)
		return Metric{Name: m.Name, Title: m.Title, Unit: m.Unit}, true
	}
	base, _, argument := strings.Cut(name, ":")
	for _, m := range slices.Concat(static, computed) {
		if takes := m.Name == timeFor || m.Name == lead || m.Name == drop; m.Name == base && takes == argument {
			return m, true
		}
	}
	return Metric{}, false
}

// metricNames returns the metrics that a claim may name.
func metricNames() (names []string) {
	for _, m := range judge.Metrics {
		names = append(names, m.Name)
	}
	names = append(names, Tail)
	for _, m := range slices.Concat(static, computed) {
		if m.Static || m.Bytes {
			names = append(names, m.Name)
		}
	}
	return names
}

// Hash returns a hash over all keys of the claims that affect outcomes, without prose. A run
// records it, so that later changes to a claim are detected.
func Hash(claims []Claim) string {
	bare := Current(claims)
	for i := range bare {
		if bare[i].Kind == Equal {
			bare[i].Kind = "tie" // as in the hashes of stored runs
		}
		bare[i].Text, bare[i].Source, bare[i].Place, bare[i].Note = "", "", "", ""
		bare[i].Sentences = nil
	}
	b, err := json.Marshal(bare)
	if err != nil || len(bare) == 0 {
		return "" // NaN and infinities alone cannot be marshalled, and Check refuses them
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
