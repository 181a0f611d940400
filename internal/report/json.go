package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

type (
	number = document.Number
	orNull = document.OrNull
)

// unitKey returns the suffix of keys for values of a unit.
func unitKey(unit string) string {
	if unit == "×" {
		return "ratio"
	}
	return judge.UnitNamed(unit).Key
}

// InUnit returns an object whose numbers have keys that end in their unit.
func InUnit(unit string, numbers map[string]float64, more map[string]any) map[string]any {
	o := maps.Clone(more)
	for key, x := range numbers {
		o[key+"_"+unitKey(unit)] = number(x)
	}
	return o
}

// EstimateNumbers returns the numbers of an estimate; none if it is absent.
func EstimateNumbers(e judge.Estimate, absent bool) map[string]float64 {
	if absent {
		e = judge.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return map[string]float64{"value": e.Value, "lo": e.Lo, "hi": e.Hi}
}

func (v *View) baseJSON(label string, answer []string) *runJSON {
	o := &runJSON{Format: jsonFormat, Label: label, Answer: answer, Checked: v.run.Checked(),
		CheckedAlso: v.run.CheckedAlso(), Plan: v.run.Plan, Host: v.run.Host, End: v.run.End,
		Contestants: []contestantJSON{}, Findings: []findingJSON{}}
	for _, p := range v.Parts {
		o.Parts = append(o.Parts, partJSON(p))
	}
	for _, r := range v.all() {
		o.Contestants = append(o.Contestants, v.contestantJSON(r))
	}
	for _, f := range v.Findings {
		o.Findings = append(o.Findings, findingJSON{f.ID, f.Title, orNull(f.Contestant), f.State.String(), f.Text})
	}
	return o
}

func (v *View) trialsJSON() trialsJSON { return trialsJSON{v.Valid, v.Discarded, v.primary().Name} }

func (v *View) decisionJSON() decisionJSON {
	return decisionJSON{v.a.Epochs, v.a.Interim, number(v.a.AlphaAt), number(v.margin()), v.trialsJSON()}
}

func (v *View) contestantJSON(r Row) contestantJSON {
	o := contestantJSON{Name: r.Name, Title: r.Title, Control: r.Control, Excluded: orNull(r.Excluded),
		Notes: append([]string{}, r.Data...), Failure: r.Failure,
		Starts: startsJSON{r.Starts.N, r.Starts.Classes, []startJSON{}},
		Built:  r.Built, Launches: []record.Launch{}, SentAgain: v.sentAgain(r.Name)}
	for _, s := range r.Starts.Each {
		o.Starts.Each = append(o.Starts.Each, startJSON{s.Epoch, s.ReadyNS, s.Level})
	}
	for _, l := range v.run.Launches {
		if l.Contestant == r.Name {
			o.Launches = append(o.Launches, l)
		}
	}
	return o
}

func (p *oneLevel) json() *runJSON {
	o := p.baseJSON("", p.Answer())
	p.decided(o, pairsJSON)
	for _, x := range p.a.Trends {
		o.Trends = append(o.Trends, trendJSON{x.Contestant, x.Level, x.Metric, ratio(x.Change), number(x.P), x.Moving})
	}
	o.LongLoads = p.longJSON()
	if len(p.Levels) > 0 {
		o.Levels = newLevels(p.View).levelsJSON()
	}
	return o
}

// decided adds the comparisons.
func (v *View) decided(o *runJSON, pairs func([]judge.Pair) []pairJSON) {
	o.Summary, o.Pairs, o.AACheck, o.Others = v.decisionJSON(), pairs(v.a.Pairs), (*pairJSON)(nil), pairs(v.a.Others)
	if v.a.AACheck != nil {
		o.AACheck = pairs([]judge.Pair{*v.a.AACheck})[0]
	}
}

// longJSON returns nil for records that are older than long loads.
func (v *View) longJSON() *longJSON {
	o := &longJSON{NotChecked: orNull(v.NoLong), Metric: v.primary().Name}
	if x := v.a.Long; x != nil {
		long, short := ratio(x.Ratio), ratio(x.Short)
		o.A, o.B, o.Seconds, o.Ratio, o.Short, o.Contradicts = orNull(x.A), orNull(x.B), x.Seconds, &long, &short,
			&x.Contradicts
		o.Noisy = x.Noisy
	} else if v.NoLong == "" {
		return nil
	}
	return o
}

func ratio(e judge.Estimate) ratioJSON {
	return ratioJSON{number(e.Value), number(e.Lo), number(e.Hi), e.N}
}

func pairsJSON(pairs []judge.Pair) []pairJSON {
	list := []pairJSON{}
	for _, p := range pairs {
		list = append(list, pairJSON{A: p.A, B: p.B, Metric: p.Metric, ratioJSON: ratio(p.Ratio), SE: number(p.SE), DF: number(p.DF),
			P: number(p.P), Verdict: p.Verdict, Better: orNull(p.Better), Note: orNull(p.Note)})
	}
	return list
}

func (s *manyLevels) json() *runJSON {
	o := s.baseJSON(familyLabel, s.sentences())
	o.Levels = s.levelsJSON()
	s.decided(o, s.cellPairsJSON)
	return o
}

// levelsJSON returns the levels, and how much was measured at each.
func (s *manyLevels) levelsJSON() []levelJSON {
	levels := []levelJSON{}
	for i, l := range s.Levels {
		epochs := 0
		if l.Analysis != nil {
			epochs = l.Analysis.Epochs
		}
		levels = append(levels, levelJSON{s.names[i], l.At, epochs, len(l.Trials)})
	}
	return levels
}

// cellPairsJSON returns pairs of cells.
func (s *manyLevels) cellPairsJSON(pairs []judge.Pair) []pairJSON {
	list := pairsJSON(pairs)
	for i, p := range pairs {
		list[i].LevelA, list[i].LevelB = s.levelAt(p.CellA()), s.levelAt(p.CellB())
		if p.Better != "" {
			list[i].Better = "b"
			if p.Leads() > 0 {
				list[i].Better = "a"
			}
		}
	}
	return list
}

func (s *highestRates) json() *runJSON {
	o := s.baseJSON(ratesLabel, s.sentences())
	o.Capacities = []capacityJSON{}
	for _, c := range s.Found {
		o.Capacities = append(o.Capacities, capacityJSON{c.Contestant, c.Epoch, number(c.Rate), number(c.Lo), number(c.Hi),
			number(c.Top), c.Probes, c.Confirmed, c.Confirms, c.Limited})
	}
	return o
}

func (c *singleLoads) json() *runJSON {
	o := c.baseJSON(loadsLabel, c.sentences())
	o.Summary = map[string]int{"loads": len(c.Loads), "loaded_again": c.Discarded}
	for i, r := range c.all() {
		_, o.Contestants[i].Errors = c.totals(r)
		o.Contestants[i].Growth = c.growthJSON(r)
	}
	if d := newExternal(c); d != nil {
		o.External = d.json()
	}
	return o
}

// growthJSON returns the memory under the last load of a row; nil if it was not recorded.
func (c *singleLoads) growthJSON(r Row) *growthJSON {
	rows, loads := c.growing()
	i := slices.IndexFunc(rows, func(x Row) bool { return x.Name == r.Name })
	if i < 0 {
		return nil
	}
	g := judge.GrowthOf(loads[i])
	return &growthJSON{number(g.Start), number(g.End), number(g.Most), g.NS, number(g.PerMinute), number(g.PerThousand)}
}

func (d *external) json() *externalJSON {
	o := &externalJSON{Name: strings.Join(d.tools, ", "), Rows: []externalRowJSON{}, Words: d.said()}
	for _, tool := range d.tools {
		o.Words = append(o.Words, d.ways(tool)...)
	}
	for i := range d.rows {
		r := &d.rows[i]
		if r.External == "" {
			continue
		}
		one := externalRowJSON{Contestant: r.Contestant, Generator: r.By(), Reported: []*record.Reported{}}
		for k := range r.Loads {
			if t := r.Loads[k].Reported; t != nil {
				one.Reported = append(one.Reported, t)
			}
		}
		o.Rows = append(o.Rows, one)
	}
	return o
}

// toBackendJSON returns the backend; nil where there is none.
func toBackendJSON(d *Data) *backendJSON {
	if d.Run == nil || d.Run.Plan.Backend == "" {
		return nil
	}
	o := &backendJSON{Name: d.Run.Plan.Backend, Alone: []aloneJSON{}, Built: d.Run.Contestant(d.Run.Plan.Backend)}
	for _, a := range d.Alone {
		o.Alone = append(o.Alone, aloneJSON{LevelName(a.At), a.At, number(a.PerSec), number(a.Least),
			number(a.Most), a.Loads})
	}
	return o
}
