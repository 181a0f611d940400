package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// likeness is a figure by which a load's generators are compared.
type likeness struct {
	about string
	sign  float64 // 1: more is worse; -1: less is worse
	// the figure is compared in open loops, too, whose schedule sets how many requests each
	// generator sends
	open bool
	of   func(*record.LoadPart) float64
}

var likenesses = []likeness{
	{"median service time", 1, true, func(p *record.LoadPart) float64 { return float64(p.ServiceP50NS) }},
	{"requests per connection", -1, false, func(p *record.LoadPart) float64 {
		return share(float64(p.Succeeded), float64(p.Connections))
	}},
}

// standing compares one generator with the others in a figure: the log of its value over their
// median, as the median over some windows, with an interval. Above 0 it is worse.
type standing struct {
	likeness
	generator, others string
	windows           int
	middle, lo, hi    float64
}

// chance is the probability that equal generators are found to differ.
const chance = 0.01

// generatorsOf returns the names of the machines that loaded together in trials.
func generatorsOf(trials []*record.Trial) (names []string) {
	for i := range trials {
		for _, p := range trials[i].Load.Parts {
			if len(trials[i].Load.Parts) > 1 && !slices.Contains(names, p.Generator) {
				names = append(names, p.Generator)
			}
		}
	}
	return names
}

// divided returns one generator's part in a load, and the other generators' parts; nil if there are
// no others.
func divided(l *record.Load, name string) (own *record.LoadPart, others []*record.LoadPart) {
	for i := range l.Parts {
		if p := &l.Parts[i]; p.Generator == name {
			own = p
		} else {
			others = append(others, p)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return own, others
}

// standings compares each generator with the others, sorted by distance, the worse side first if
// two are equal. Figures that the record lacks are left out.
func standings(p *record.Plan, trials []*record.Trial) (all []standing) {
	names := generatorsOf(trials)
	for _, name := range names {
		for _, figure := range likenesses {
			s := standing{likeness: figure, generator: name, others: "of the others"}
			if len(names) == 2 {
				s.others = "of " + document.Clean(names[1-slices.Index(names, name)])
			}
			var apart []float64
			for i := range trials {
				own, others := divided(&trials[i].Load, name)
				if own == nil || !figure.open && p.LevelOf(trials[i]).Open() {
					continue
				}
				var theirs []float64
				for _, o := range others {
					theirs = append(theirs, figure.of(o))
				}
				if mine := figure.of(own); mine > 0 && slices.Min(theirs) > 0 {
					apart = append(apart, figure.sign*math.Log(mine/stats.Median(theirs)))
				}
			}
			if s.windows = len(apart); s.windows > 0 {
				s.middle = stats.Median(apart)
				s.lo, s.hi, _ = stats.MedianCI(apart, 1-chance/float64(len(names)*len(likenesses)))
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b standing) int {
		return cmp.Or(cmp.Compare(math.Abs(b.middle), math.Abs(a.middle)), cmp.Compare(b.middle, a.middle))
	})
	return all
}

// state grades a standing by its distance, if that is more than chance.
func (s *standing) state(l Limit) State {
	switch {
	case s.lo > 0 || s.hi < 0:
		return l.Grade(math.Expm1(math.Abs(s.middle)))
	case max(-s.lo, s.hi) > math.Log1p(l.Warn):
		return CannotTell
	}
	return Pass
}

func (s *standing) String() string {
	lo, hi := math.Exp(s.sign*s.lo), math.Exp(s.sign*s.hi)
	text := fmt.Sprintf("the %s of %s is %.2f × that %s", s.about, document.Clean(s.generator),
		math.Exp(s.sign*s.middle), s.others)
	if math.IsInf(s.hi, 1) {
		return text + fmt.Sprintf(" in %s, too few to tell", document.Count(int64(s.windows), "load"))
	}
	return text + fmt.Sprintf(" (%.2f–%.2f)", min(lo, hi), max(lo, hi))
}

// failing describes a generator whose requests failed more often than the others': beyond chance in
// the loads with failures, and at least twice as often in all; "" if there is none.
func failing(trials []*record.Trial) string {
	names := generatorsOf(trials)
	for _, name := range names {
		var more []float64 // this generator's share of failures minus the others'
		var failed, all, theirs, theirAll int64
		for i := range trials {
			own, others := divided(&trials[i].Load, name)
			if own == nil {
				continue
			}
			var bad, of int64
			for _, o := range others {
				bad, of = bad+o.Started-o.Succeeded, of+o.Started
			}
			mine := own.Started - own.Succeeded
			if mine+bad > 0 {
				more = append(more, share(float64(mine), float64(own.Started))-share(float64(bad), float64(of)))
			}
			failed, all, theirs, theirAll = failed+mine, all+own.Started, theirs+bad, theirAll+of
		}
		lo, _, _ := stats.MedianCI(more, 1-chance/float64(len(names)))
		if lo > 0 && share(float64(failed), float64(all)) >= 2*share(float64(theirs), float64(theirAll)) {
			return fmt.Sprintf("%s had no right answer to %s of %s requests, the others to %s of %s",
				document.Clean(name), document.Whole(failed), document.Whole(all), document.Whole(theirs),
				document.Whole(theirAll))
		}
	}
	return ""
}

// busiest returns the generator with the busiest event loops, and the share of time that they used;
// "" if one machine made the load.
func busiest(trials []*record.Trial) (name string, most float64) {
	for _, n := range generatorsOf(trials) {
		var used, had float64
		for i := range trials {
			if own, _ := divided(&trials[i].Load, n); own != nil {
				used += float64(own.LoopCPUNS)
				had += float64(trials[i].Load.Wall()) * float64(own.Workers)
			}
		}
		if x := share(used, had); name == "" || x > most {
			name, most = n, x
		}
	}
	return name, most
}

// alike checks whether a load's generators saw the same server: a generator on a slower link or a
// busy machine affects every figure. A load from one machine has no such finding.
func alike(c *Check, e *Evidence) []Finding {
	return slices.DeleteFunc(measured(func(c *Check, e *Evidence, _ string, own []*record.Trial) (State, string) {
		worst, texts := Pass, []string(nil)
		if text := failing(own); text != "" {
			worst, texts = Warn, append(texts, text)
		}
		all := standings(&e.Run.Plan, own)
		told := map[string]bool{}
		for i := range all {
			s := &all[i]
			state := s.state(c.Limits[0])
			if state > Pass && !told[s.about] {
				told[s.about] = true
				worst, texts = max(worst, state), append(texts, s.String())
			}
		}
		if len(texts) == 0 && len(all) > 0 {
			texts = append(texts, all[0].String())
		}
		return worst, strings.Join(texts, "; ")
	})(c, e), func(f Finding) bool { return f.Text == "" })
}
