package report

import (
	"maps"
	"math"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

type (
	number = document.Number
	orNull = document.OrNull
)

// unitKey returns the suffix of JSON keys for values in a unit.
func unitKey(unit string) string {
	if unit == "×" {
		return "ratio"
	}
	return judge.UnitNamed(unit).Key
}

// InUnit returns an object with numbers, whose keys end in their unit.
func InUnit(unit string, numbers map[string]float64, more map[string]any) map[string]any {
	o := maps.Clone(more)
	for key, x := range numbers {
		o[key+"_"+unitKey(unit)] = number(x)
	}
	return o
}

// EstimateNumbers returns an estimate's numbers; none if the estimate is absent.
func EstimateNumbers(e judge.Estimate, absent bool) map[string]float64 {
	if absent {
		e = judge.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return map[string]float64{"value": e.Value, "lo": e.Lo, "hi": e.Hi}
}

func (v *View) json() *runJSON {
	o := &runJSON{Format: jsonFormat, Label: v.label(), Answer: v.sentences(), Checked: v.run.Checked(),
		CheckedAlso: v.run.CheckedAlso(), Plan: v.run.Plan, Host: v.run.Host, End: v.run.End, Rows: rowsJSON(v.lines()),
		Contestants: []contestantJSON{}, Findings: []findingJSON{}, Claims: v.Added.JSON, Conditions: v.Added.Conditions}
	trials := trialsJSON{v.Valid, v.Discarded, v.primary().Name}
	o.Summary = trials
	for _, p := range v.Parts {
		o.Parts = append(o.Parts, partJSON(p))
	}
	for _, r := range v.all() {
		o.Contestants = append(o.Contestants, v.contestantJSON(r))
	}
	for _, f := range v.Findings {
		o.Findings = append(o.Findings, findingJSON{f.ID, f.Title, orNull(f.Contestant), f.State.String(), f.Text})
	}
	if !v.run.Plan.InRounds() {
		return o
	}
	o.Summary = decisionJSON{v.a.Epochs, v.a.Interim, number(v.a.AlphaAt), number(v.margin()), trials}
	for i, l := range v.levels {
		one := levelJSON{Name: v.names[i], At: l.At}
		if l.Analysis != nil {
			one.Epochs = l.Analysis.Epochs
		}
		o.Levels = append(o.Levels, one)
	}
	o.Pairs, o.AACheck = v.pairsJSON(v.a.Pairs), (*pairJSON)(nil)
	if v.a.AACheck != nil {
		o.AACheck = v.pairsJSON([]judge.Pair{*v.a.AACheck})[0]
	}
	for _, x := range v.a.Trends {
		o.Trends = append(o.Trends, trendJSON{x.Contestant, x.Level, x.Metric, ratio(x.Change), number(x.P), x.Moving})
	}
	o.LongLoads, o.NoRated = v.longJSON(), v.NoRated
	return o
}

func (v *View) contestantJSON(r Row) contestantJSON {
	o := contestantJSON{Name: r.Name, Title: r.Title, Control: r.Control, Excluded: orNull(r.Excluded),
		Notes: append([]string{}, r.Data...), Failure: r.Failure,
		Starts: startsJSON{r.Starts.N, r.Starts.Classes},
		Built:  r.Built, Launches: []record.Launch{}, SentAgain: v.sentAgain(r.Name)}
	for _, l := range v.run.Launches {
		if l.Contestant == r.Name {
			o.Launches = append(o.Launches, l)
		}
	}
	return o
}

// longJSON returns the result of the long loads; nil for records from before dyno made them.
func (v *View) longJSON() *longJSON {
	o := &longJSON{NotChecked: orNull(v.NoLong)}
	if len(v.a.Long) > 0 {
		o.Seconds = float64(v.a.Long[0].Load.WindowNS) / 1e9
		o.Assumed = map[string]float64{"times_trials": judge.LongTimes, "least_log": judge.LongLeast, "df": judge.LongDF}
	} else if v.NoLong == "" {
		return nil
	}
	return o
}

func ratio(e judge.Estimate) ratioJSON {
	return ratioJSON{number(e.Value), number(e.Lo), number(e.Hi), e.N}
}

// pairsJSON returns comparisons, with their levels if the run has several.
func (v *View) pairsJSON(pairs []judge.Pair) []pairJSON {
	list := []pairJSON{}
	for _, p := range pairs {
		o := pairJSON{A: p.A, B: p.B, Metric: p.Metric, ratioJSON: ratio(p.Ratio), SE: number(p.SE), DF: number(p.DF),
			P: number(p.P), Verdict: p.Verdict, Better: orNull(p.Better), Note: orNull(p.Note)}
		if e := p.Elsewhere; e != nil {
			o.Elsewhere = &elsewhereJSON{ratioJSON: ratio(e.Ratio), Verdict: e.Verdict, Sessions: e.Sessions,
				Bias: number(e.Bias), State: number(e.State)}
			if e.Sessions == 0 {
				o.Elsewhere.Assumed = number(v.between().SD)
			}
			if e.Programs == 0 {
				o.Elsewhere.AssumedBias = number(v.between().Bias)
			}
		}
		if x := p.Long; x != nil {
			o.Long = &pairLongJSON{ratio(x.Ratio), number(x.Short), number(x.Measured), number(x.SE), number(x.Mean),
				x.Misleads}
		}
		if v.named() {
			o.LevelA, o.LevelB = v.levelAt(p.CellA()), v.levelAt(p.CellB())
			switch {
			case p.Better == "":
			case p.Leads() > 0:
				o.Better = "a"
			default:
				o.Better = "b"
			}
		}
		list = append(list, o)
	}
	return list
}
