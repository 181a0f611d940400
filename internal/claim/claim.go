// Package claim holds published claims and figures as data, and the rules by which a run judges
// them.
//
// The rules are pure functions of the measurements and the claim. doc/studies.md describes and
// justifies them. Both confirming and contradicting need evidence: a claim that is neither
// confirmed nor contradicted is inconclusive, so that a bad run confirms nothing.
package claim

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
)

// Kinds of claim.
const (
	Ratio = "ratio" // a over b is value
	Order = "order" // cells, best first
	Equal = "equal" // a and b are equal
	Trend = "trend" // over the cells the metric rises, falls or stays
	Drop  = "drop"  // 1 − a/b is value percent, or more than that of two other cells
	Bound = "bound" // the metric of a is at most or at least a value that does not depend on the machine
	Most  = "most"  // more than half of the cells have a property
	All   = "all"   // all of the cells have it

	Spread  = "spread"  // how far the cells are apart, on its own or against other cells
	Repeats = "repeats" // the epochs of a are alike within a factor
)

// Claim is a conclusion of an article, as written in a study.toml. Check fills in optional keys.
type Claim struct {
	ID     string `toml:"id"`
	Text   string `toml:"text"`   // the conclusion in our words
	Source string `toml:"source"` // the study's where it is empty
	Place  string `toml:"place"`  // where in the source
	Note   string `toml:"note"`   // remark for readers

	Sentences   []string `toml:"sentences" json:",omitempty"`    // ids of the sentences that it judges: F-12
	NotTestable string   `toml:"not_testable" json:",omitempty"` // why no run can judge it

	Kind      string   `toml:"kind"`
	Metric    string   `toml:"metric"` // the study's primary where it is empty
	A         string   `toml:"a"`
	B         string   `toml:"b"`
	Cells     []string `toml:"cells"`
	Over      []string `toml:"over"`   // the claim applies to the ratios of the cells to these
	Than      []string `toml:"than"`   // drop: the two cells of a drop that is smaller
	Value     float64  `toml:"value"`  // ratio: the factor; drop: percent
	Within    float64  `toml:"within"` // ratio, drop: the factor within which a magnitude is the same; repeats: of epochs
	Margin    float64  `toml:"margin"` // of equality, as a share; the run's where it is 0
	Direction string   `toml:"direction"`
	// AtLeast and AtMost are in base units; of a drop in percent, of a spread and of ratios factors.
	AtLeast *float64 `toml:"at_least"`
	AtMost  *float64 `toml:"at_most"`
	Near    float64  `toml:"near" json:",omitempty"` // most: within this share of the median of all

	Was       *Was   `toml:"was" json:"-"`       // nil: it was never amended
	Restates  string `toml:"restates" json:"-"`  // the claim that judges the same figure, by its id
	Withdrawn string `toml:"withdrawn" json:"-"` // why it is none any more: it was one when a run was planned
}

// Ours reports whether dyno itself adds the claim to those of the article.
func (c *Claim) Ours() bool { return strings.HasPrefix(c.Source, "Ours:") }

// Counts reports whether the claim is among the published ones: a figure counts once.
func (c *Claim) Counts() bool { return !c.Ours() && c.Restates == "" }

// Was is what an amended claim had before, and what turned out to be wrong after a run: its whole rule if it
// has a kind, else single keys.
type Was struct {
	Claim
	Testable bool   `toml:"testable"` // it was judged, and is not testable
	Why      string `toml:"why"`      // why it was wrong; "" if NotTestable says it
}

// Before returns the claims as they were before they were amended, withdrawn ones among them.
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

// Cell is a contestant at a level. Level is empty in a study with one level.
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

// Pair is two cells that a claim compares: A's value over B's.
type Pair struct{ A, B Cell }

// All returns the cells that the claim names, in its order, each once.
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

// Pairs returns the comparisons on which the claim depends, in the order that the rules expect. A
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
func (c *Claim) many() bool { return c.Kind == Most || c.Kind == All || c.Kind == Spread }

// Metric is the property that a claim or a published figure describes.
type Metric struct {
	Name, Title, Unit string // unit of our value: "1/s", "ns", "bytes", "B/s", "lines"
	More              bool   // larger is better
	Static            bool   // a property of the program, which has no interval
	Ours              string // why our programs cannot judge an article's figure of this metric; else ""
	Computed          string // how it is computed from other metrics if it was not measured
	Bytes             bool   // the rate × the bytes of an exchange: computed, and a claim may name it
	Part, Figure      string // of the times that ab prints: "connect", "sd"; of its percentiles: "percent", "99"
	Same              string // the metric of dyno that is the same as one that ab prints; else ""
}

// static are metrics of the program itself, which claims may name in addition to those of package
// analysis.
var static = []Metric{
	{Name: "lines_of_code", Title: "Lines of code", Unit: "lines", Static: true,
		Ours: "our programs were written anew, so their line counts say nothing about the article's programs"},
	{Name: "response_bytes", Title: "Response, head and body", Unit: "bytes", Static: true},
	{Name: "wrong_answers", Title: "Requests without a right answer", Unit: "answers", Static: true},
}

// Tail is the name of a metric that every run shows, but neither ranks nor compares: the service time
// that 1 % of the requests exceed. A claim may name it, and is judged by its interval.
const Tail = "p99"

// computed are metrics of published figures that are computed from dyno's metrics.
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

// printed returns the metrics of published figures that ab prints: the times of the parts of a
// request, which it calls Connection Times, and the percentiles of the whole.
func printed() (list []Metric) {
	same := map[string]string{"mean": "service_mean", "median": "p50", "sd": "service_sd", "max": "service_max"}
	for _, part := range analysis.Parts {
		for _, figure := range []string{"min", "mean", "sd", "median", "max"} {
			m := Metric{Name: part + "_" + figure, Title: part + ", " + figure, Unit: "ns", Part: part, Figure: figure}
			if part == "processing" {
				m.Same = same[figure]
			}
			list = append(list, m)
		}
	}
	for _, q := range analysis.Quantiles {
		n := strconv.Itoa(q)
		list = append(list, Metric{Name: "percent_" + n, Title: n + " %", Unit: "ns", Part: "percent", Figure: n})
	}
	return list
}

// Metrics with an argument after a colon: a number of requests, or another cell.
const (
	timeFor = "time"
	lead    = "lead"
	drop    = "drop"
)

// MetricNamed returns the metric of that name. "time:5000000" is the time to complete 5,000,000
// requests; "drop:a @ b" is the percentage by which the throughput is lower than that of the cell a
// @ b.
func MetricNamed(name string) (Metric, bool) {
	if m, ok := analysis.MetricNamed(name); ok {
		return Metric{Name: m.Name, Title: m.Title, Unit: m.Unit, More: m.More}, true
	}
	if name == Tail {
		m := analysis.ClassicNamed(name)
		return Metric{Name: m.Name, Title: m.Title, Unit: m.Unit}, true
	}
	base, _, argument := strings.Cut(name, ":")
	for _, m := range slices.Concat(static, computed, printed()) {
		if takes := m.Name == timeFor || m.Name == lead || m.Name == drop; m.Name == base && takes == argument {
			return m, true
		}
	}
	return Metric{}, false
}

// metricNames returns the metrics that a claim may name.
func metricNames() (names []string) {
	for _, m := range analysis.Metrics {
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

// Hash returns a hash of all keys of the claims that affect outcomes, without prose. A run records
// it, so that later changes of a claim are detected.
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
