package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/result"
)

// classicLabel stands at the top of every form of a classic run.
const classicLabel = "classic: one long load after another, as published benchmarks do; single figures, no pairing, no interval"

// classicMisleads is what such figures mislead by; the 28 % is of loads of 5 s, while another job compiled.
const classicMisleads = "The machine's speed changes from one load to the next, and nothing here makes up for it: two identical servers, loaded one after the other on a " +
	"shared machine, differed by 28 % in the median. Who is faster cannot be said from this; a duel of the same contestants can say it."

// classic is a view of loads that are compared with nothing.
type classic struct{ *view }

func newClassic(d *Data) *classic {
	c := &classic{newView(d)}
	c.metrics = slices.Clone(analysis.Classic)
	if c.run.Plan.Requests == 0 {
		c.metrics = c.metrics[1:] // the time was given
	}
	c.struckLast()
	c.byEngine()
	for i := range c.rows {
		if r := &c.rows[i]; r.Struck == "" {
			disturbed := c.disturbed(*r)
			r.Notes, r.Data = append(r.Notes, disturbed...), append(r.Data, disturbed...)
		}
	}
	return c
}

// loads are those of a row.
func (c *classic) loads(r row) (list []result.Trial) {
	for _, t := range c.Loads {
		if t.Contestant == r.Name {
			list = append(list, t)
		}
	}
	return list
}

// single is a figure of a classic run: of one load, or the middle one of several and how far these go.
type single struct {
	value, least, most float64
	loads              int
	absent             string
}

// figure returns that of a row. Of an even number of loads the worse of the middle two stands: percentiles are not averaged, and time and rate agree.
func (c *classic) figure(r row, m analysis.Metric) single {
	if r.Struck != "" {
		return single{absent: r.Struck}
	}
	loads := c.loads(r)
	if len(loads) == 0 {
		return single{absent: "it was not loaded before the run ended"}
	}
	var values []float64
	for i := range loads {
		if v, ok := m.Of(&loads[i]); ok {
			values = append(values, v)
		}
	}
	switch {
	case len(values) == 0 && m.Name == "p99" && loads[0].Load.ServiceP99NS > 0:
		return single{absent: fmt.Sprintf("fewer than %d requests lie beyond it", analysis.Beyond(.99))}
	case len(values) == 0:
		return single{absent: "it could not be read"}
	}
	slices.Sort(values)
	n := len(values)
	middle := n / 2
	if m.More {
		middle = (n - 1) / 2
	}
	return single{value: values[middle], least: values[0], most: values[n-1], loads: n}
}

// rangeText prints how far the loads go, or nothing for one.
func (f *single) rangeText(s Scale) string {
	if f.loads < 2 {
		return ""
	}
	return Sig3(f.least/s.Per) + "–" + Sig3(f.most/s.Per)
}

func (c *classic) scale(m analysis.Metric) Scale {
	var values []float64
	for _, r := range c.rows {
		if f := c.figure(r, m); f.absent == "" {
			values = append(values, f.value)
		}
	}
	return ScaleOf(m.Unit, values...)
}

func (c *classic) headOf(m analysis.Metric) string { return m.HeadIn(c.scale(m).Name) }

// totals are the requests of a row's loads that were answered right, and the others by kind. They stand for a row that failed as well: they are counts.
func (c *classic) totals(r row) (requests int64, errors map[string]int64) {
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
		kinds[i] = Clean(k) + " " + grouped(float64(errors[k]), 0)
	}
	return orElse(strings.Join(kinds, ", "), "none")
}

// disturbed says of which loads a duel would have made nothing, for others used the CPUs meanwhile.
func (c *classic) disturbed(r row) []string {
	var server, generator, steal, pause float64
	n, loads := 0, c.loads(r)
	for i := range loads {
		cause := &loads[i].Causes
		if !checks.Void(loads[i : i+1]) {
			continue
		}
		n++
		wall := float64(cause.WallNS)
		server = max(server, float64(cause.ForeignServerNS)/(wall*float64(max(1, cause.ServerCPUs))))
		generator = max(generator, float64(cause.ForeignGeneratorNS)/(wall*float64(max(1, cause.GeneratorCPUs))))
		pause = max(pause, float64(checks.Pause(&loads[i]))/wall)
		steal = max(steal, float64(cause.StealNS)/(wall*float64(max(1, cause.ServerCPUs+cause.GeneratorCPUs))))
	}
	if n == 0 {
		return nil
	}
	which := "its load"
	if len(loads) > 1 {
		which = fmt.Sprintf("%d of its %d loads", n, len(loads))
	}
	var why []string
	for _, cause := range []struct {
		form  string
		share float64
	}{{"others used up to %s of the server's CPUs", server}, {"up to %s of the generator's CPUs went to others", generator}, {"the hypervisor withheld up to %s", steal},
		{"the generator or the machine stood still for up to %s", pause}} {
		if cause.share >= 0.01 {
			why = append(why, fmt.Sprintf(cause.form, PerCent(cause.share)))
		}
	}
	return []string{"a duel would not count " + which + ": " + and(why)}
}

// repeats is how many loads each contestant was to have.
func (c *classic) repeats() int { return max(1, c.run.Plan.Epochs*max(1, c.run.Plan.Rounds)) }

// each is what one load was to be: "200,000 requests", "30 s".
func (c *classic) each() string {
	if n := c.run.Plan.Requests; n > 0 {
		return grouped(float64(n), 0) + " requests"
	}
	return planned(c.run.Plan.TrialNS)
}

// head is the run in a line's worth of facts.
func (c *classic) head() []string {
	facts := []string{count(len(c.rows), "contestant")}
	if p := c.run.Plan.Scenario; p != "" {
		facts = append(facts, "scenario "+Clean(p))
	}
	level := count(c.run.Plan.Level.Connections, "connection")
	if d := c.run.Plan.Level.DelayNS; d > 0 {
		level += ", delay " + planned(d)
	}
	if w := c.run.Plan.Level.Work; w != "" {
		level += ", " + WorkName(w)
	}
	return append(facts, level, count(c.repeats(), "load")+" of "+c.each()+" each")
}

// marks says what the table shows.
func (c *classic) marks() []string {
	const shown = "Latency is service time in a closed loop, sent to done: it leaves out what a user would have waited. Memory is read after the load."
	if c.repeats() > 1 {
		return []string{"Each figure is the median of its loads (of an even number the worse of the middle two), with their range, lowest to highest: a range is no interval.", shown}
	}
	return []string{"Each figure is of one load.", shown}
}

// sentences are what a classic run says in words.
func (c *classic) sentences() []string {
	list := append([]string{sentenceCase(classicLabel)}, c.forbidding()...)
	list = append(list, classicMisleads)
	if len(c.Loads) == 0 {
		list = append(list, "Nothing was measured.")
	}
	if a := c.absent(); a != "" {
		list = append(list, a)
	}
	return append(append(list, c.growth()...), c.endedEarly()...)
}

// gaps says why figures are missing.
func (c *classic) gaps() (lines []string) {
	for _, r := range c.rows {
		if r.Struck != "" {
			continue
		}
		if len(c.loads(r)) == 0 {
			lines = append(lines, r.Title+": "+c.figure(r, c.metrics[0]).absent)
			continue
		}
		for _, m := range c.metrics {
			if f := c.figure(r, m); f.absent != "" {
				lines = append(lines, r.Title+", "+m.Title+": "+f.absent)
			}
		}
	}
	return lines
}

func (c *classic) method() []fact {
	p := &c.run.Plan
	load := fmt.Sprintf("closed loop, %s, %s", count(p.Level.Connections, "connection"), c.each())
	if p.Level.Pipeline > 1 {
		load += fmt.Sprintf(", %d requests in flight on each", p.Level.Pipeline)
	}
	if p.Level.DelayNS > 0 {
		load += ", the handler waits " + planned(p.Level.DelayNS)
	}
	if p.Level.Work != "" {
		load += ", " + WorkName(p.Level.Work)
	}
	facts := []fact{
		{Name: "Protocol", Value: classicLabel},
		{Name: "Scenario", Value: orElse(Clean(p.Scenario), "not recorded")},
		{Name: "Load", Value: load},
		{Name: "Order", Value: "as asked; each contestant is started alone, loaded at once without a warm-up, and stopped"},
		{Name: "Repeats", Value: fmt.Sprint(c.repeats())},
		{Name: "Started", Value: c.started()},
		{Name: "End", Value: c.ended()},
	}
	if c.Void > 0 {
		facts = append(facts, fact{Name: "Loaded again", Value: count(c.Void, "load") + ", for others used the CPUs; the later one is shown"})
	}
	return facts
}
