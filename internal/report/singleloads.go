package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// loadsLabel is the label at the top of every form of a classic run.
const loadsLabel = "classic: one long load after another, as published benchmarks do; single figures, no " +
	"pairing, no interval"

// loadsMislead states the error of such figures; the 28 % were measured with loads of 5 s, while
// another job compiled.
const loadsMislead = "The machine's speed changes from one load to the next, and a classic run does not " +
	"compensate for it: two identical servers, loaded one after the other on a shared machine, differed by 28 % in " +
	"the median. These figures cannot show who is faster; a paired comparison of the same contestants can."

// singleLoads is a view of loads without comparisons.
type singleLoads struct{ *View }

func newSingleLoads(v *View) *singleLoads {
	c := &singleLoads{v}
	c.metrics = c.known()
	if c.run.Plan.Load.Requests == 0 {
		c.metrics = c.metrics[1:] // the time was given
	}
	c.excludedLast()
	c.ByEngine()
	for i := range c.rows {
		if r := &c.rows[i]; r.Excluded == "" {
			disturbed := c.disturbed(*r)
			r.Notes, r.Data = append(r.Notes, disturbed...), append(r.Data, disturbed...)
		}
	}
	return c
}

// known returns the metrics of a classic run, without the rare ones that no load has.
func (c *singleLoads) known() []judge.Metric {
	return slices.DeleteFunc(slices.Clone(judge.LoadMetrics), func(m judge.Metric) bool {
		return m.Rare && m.Name != "time" && !slices.ContainsFunc(c.Loads, func(t *record.Trial) bool {
			_, ok := m.Of(t)
			return ok
		})
	})
}

// loads returns the loads of a row.
func (c *singleLoads) loads(r Row) (list []*record.Trial) {
	for _, t := range c.Loads {
		if t.Contestant == r.Name {
			list = append(list, t)
		}
	}
	return list
}

// figure returns the figure of a row: that of one load, or the median of several.
func (c *singleLoads) figure(r Row, m judge.Metric) *Figure {
	if r.Excluded != "" {
		return &Figure{Absent: r.Excluded}
	}
	loads := c.loads(r)
	if len(loads) == 0 {
		return &Figure{Absent: "the run ended before it was loaded"}
	}
	middle := judge.MiddleOf(loads, m)
	switch {
	case middle.N == 0 && m.Name == "p99" && loads[0].Load.ServiceP99NS > 0:
		return &Figure{Absent: fmt.Sprintf("fewer than %d requests lie beyond it", judge.Beyond(.99))}
	case middle.N == 0:
		return &Figure{Absent: "it could not be read"}
	}
	return &Figure{Estimate: judge.Estimate{Value: middle.Value, Lo: math.Inf(-1), Hi: math.Inf(1), N: middle.N},
		Least: middle.Least, Most: middle.Most}
}

// loadCell returns a figure in a table, with the range of its loads where there are several.
func (f *Figure) loadCell(s judge.Scale) document.Cell {
	if f.Absent != "" {
		return document.Cell{Absent: f.Absent}
	}
	cell := document.Cell{Value: Sig3(f.Value / s.Per)}
	if f.N > 1 {
		cell.Side = "(" + Sig3(f.Least/s.Per) + "–" + Sig3(f.Most/s.Per) + ")"
	}
	return cell
}

func (c *singleLoads) scale(m judge.Metric) judge.Scale {
	return scaleFor(m, c.rows, func(r Row) *Figure { return c.figure(r, m) })
}

// totals returns the requests of a row's loads that were answered right, and the others by kind. A
// failed row has them too, because they are counts.
func (c *singleLoads) totals(r Row) (requests int64, errors map[string]int64) {
	errors = map[string]int64{}
	for _, t := range c.loads(r) {
		requests += t.Load.Succeeded
		for _, kinds := range []map[string]int64{t.Load.Failures, t.Load.Errors} {
			for kind, n := range kinds {
				errors[kind] += n
			}
		}
		if t.Load.InFlight > 0 {
			errors["in flight"] += t.Load.InFlight
		}
	}
	return requests, errors
}

// errorsText prints errors by kind, the most frequent first: "timeout 3, reset 1".
func errorsText(errors map[string]int64) string {
	kinds := slices.Sorted(maps.Keys(errors))
	slices.SortStableFunc(kinds, func(a, b string) int { return int(errors[b] - errors[a]) })
	for i, k := range kinds {
		kinds[i] = document.Clean(k) + " " + document.Whole(errors[k])
	}
	return orElse(strings.Join(kinds, ", "), "none")
}

// disturbed says how many loads others disturbed.
func (c *singleLoads) disturbed(r Row) []string {
	loads, n := c.loads(r), 0
	for i := range loads {
		if judge.Disturbed(loads[i : i+1]) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("other programs, the hypervisor or a pause disturbed %d of its %s", n,
		document.Count(len(loads), "load"))}
}

// repeats returns the planned number of loads of each contestant.
func (c *singleLoads) repeats() int {
	return max(1, slices.Max(append([]int{1}, c.run.Plan.Epochs...))*max(1, c.run.Plan.Rounds))
}

// each describes the planned length of one load: "200,000 requests", "30 s".
func (c *singleLoads) each() string {
	if n := c.run.Plan.Load.Requests; n > 0 {
		return document.Whole(n) + " requests"
	}
	return planned(c.run.Plan.Load.NS)
}

// head returns the run in a line's worth of facts.
func (c *singleLoads) head() []string {
	return append([]string{strings.Join(levelWords(c.run.Plan.First()), ", "), document.Count(len(c.ranked()), "server"),
		document.Count(c.repeats(), "load") + " of " + c.each() + " each"}, c.setting()...)
}

// marks says what the table shows.
func (c *singleLoads) marks() []string {
	const shown = "Latency is service time in a closed loop, sent to done: it leaves out what a user would have " +
		"waited. Memory is read after the load."
	if c.repeats() > 1 {
		return []string{"Each figure is the median of its loads (of an even number the worse of the middle two), " +
			"with their range, lowest to highest: a range is no interval.", shown}
	}
	return []string{"Each figure is of one load.", shown}
}

// sentences returns the sentences about a classic run.
func (c *singleLoads) sentences() []string {
	list := append(c.forbidding(), c.best(), loadsMislead)
	return slices.Concat(list, c.absent(), c.endedEarly())
}

// best says which load had the highest rate.
func (c *singleLoads) best() string {
	m := judge.ClassicNamed("throughput")
	who, most := "", 0.
	for _, r := range c.rows {
		if f := c.figure(r, m); f.Absent == "" && f.Value > most {
			who, most = r.Title, f.Value
		}
	}
	if who == "" {
		return "Nothing was measured."
	}
	return fmt.Sprintf("Most requests per second: %s, %s; a single figure, which decides nothing.", who, Sig3(most))
}

// gaps says why figures are missing.
func (c *singleLoads) gaps() (lines []string) {
	for _, r := range c.rows {
		if r.Excluded != "" {
			continue
		}
		if len(c.loads(r)) == 0 {
			lines = append(lines, r.Title+": "+c.figure(r, c.metrics[0]).Absent)
			continue
		}
		for _, m := range c.metrics {
			if f := c.figure(r, m); f.Absent != "" {
				lines = append(lines, r.Title+", "+m.Title+": "+f.Absent)
			}
		}
	}
	return lines
}

func (c *singleLoads) method() []document.Fact {
	p := &c.run.Plan
	facts := []document.Fact{
		{Name: "Protocol", Value: loadsLabel},
		{Name: "Scenario", Value: orElse(p.Scenario, "not recorded")},
		{Name: "Load", Value: loadText(p.First(), c.each())},
		{Name: "Order", Value: "as asked; each contestant is started alone, loaded at once without a warm-up, and stopped"},
		{Name: "Repeats", Value: fmt.Sprint(c.repeats())},
		{Name: "Started", Value: c.started()},
		{Name: "End", Value: c.ended()},
	}
	if c.Discarded > 0 {
		facts = append(facts, document.Fact{Name: "Loaded again", Value: document.Count(c.Discarded, "load") +
			", because other programs used the CPUs; the later one is shown"})
	}
	return facts
}

func (c *singleLoads) document() *document.Document {
	d := &document.Document{Title: c.heading(), Label: sentenceCase(loadsLabel), Byline: c.head(),
		Lead: c.lead(c.sentences()), Trust: c.asked(),
		NoChart: "a classic run has single figures, and a chart would suggest that they are comparable; choose " +
			"another --format"}
	d.Facts = []document.Fact{{Name: "Loads", Value: fmt.Sprint(len(c.Loads)), Note: c.each() + " each"},
		{Name: "Verdicts", Value: "none", Note: "single figures"},
		c.checksFact()}
	external := newExternal(c)
	d.Sections = append([]document.Section{c.short(), external.section(), c.closing()}, details(append([]document.Section{c.table(),
		c.growthChart(), c.belief([]document.Block{
			quiet("A classic run discards no loads. If a paired comparison would have discarded one because of " +
				"other programs, the contestant's row says so.")})},
		c.rest(c.method(), c.words(external != nil))...))...)
	return d
}

// short returns the table as a terminal shows it, without notes.
func (c *singleLoads) short() document.Section {
	out := document.Section{ID: "short", On: document.OffPage}
	for _, b := range c.table().Blocks {
		if t, ok := b.(document.Table); ok {
			t = shortened(t)
			errors := len(t.Columns) - 1
			if !slices.ContainsFunc(t.Rows, func(r document.Row) bool { return r.Cells[errors].Value != "none" }) {
				t.Columns = t.Columns[:errors]
			}
			out.Blocks = append(out.Blocks, t)
		}
	}
	return out
}

// table has a row for each contestant.
func (c *singleLoads) table() document.Section {
	out := document.Section{ID: "table", Title: "Load after load"}
	if len(c.rows) == 0 {
		out.Blocks = []document.Block{document.Paragraph{Text: document.Plain("The record names no contestants.")}}
		return out
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}}}
	for _, m := range c.metrics {
		t.Columns = append(t.Columns, column(m, c.scale(m)))
	}
	t.Columns = append(t.Columns, document.Column{Head: "requests", Number: true}, document.Column{Head: "errors"})
	for _, r := range c.rows {
		row := c.TableRow(r)
		row.Notes = r.Notes
		for _, m := range c.metrics {
			f := c.figure(r, m)
			row.Cells = append(row.Cells, f.loadCell(c.scale(m)))
		}
		n, errs := c.totals(r)
		totals := []document.Cell{{Value: document.Whole(n)}, {Value: errorsText(errs)}}
		if len(c.loads(r)) == 0 {
			totals = []document.Cell{{Absent: "it was not loaded"}, {Absent: "it was not loaded"}}
		}
		row.Cells = append(row.Cells, totals...)
		t.Rows = append(t.Rows, row)
	}
	c.addSentAgain(&t, c.rows)
	out.Blocks = []document.Block{t, document.Items(slices.Concat(c.gaps(), c.marks(), c.growth())...)}
	return out
}

func (c *singleLoads) words(external bool) []document.Definition {
	own := []document.Definition{
		{ID: "classic", Name: "Classic", Text: "One long load after another, each on a freshly started contestant, " +
			"as in published benchmarks, for comparison with these."},
		{ID: "range", Name: "Range", Text: "The lowest and the highest of several loads. It is not a prediction of " +
			"further loads."},
	}
	if external {
		own = append(own, document.Definition{ID: "driver", Name: "Another load generator",
			Text: "The same loads made by another tool, with its own definitions of response, error and latency. " +
				"Of ceiling: its rate as a share of the rate of the same generator with a server that does nothing."})
	}
	return wordsOf(own, append(namesOf(c.known()), "first_answer")...)
}
