package alike

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// values are the values in a body, by place: scalars of JSON, words of another text. At the place of the
// elements of a list with two or more stands the share of them that are different.
type values map[string]string

// The places in one body that are looked at: how many, and how many steps deep.
const (
	mostValues = 256
	mostSteps  = 8
)

// valuesOf returns the values of a body, except where --differ accepts any.
func (j *judge) valuesOf(first *scenario.Answer, body []byte) values {
	r := *first.Response
	r.Body = body
	plain, out := load.Decoded(&r), values{}
	if v, ok := readJSON(&r, plain); ok {
		out.add(jsonPath{}, v, &j.sides.Allowed)
	} else if utf8.Valid(plain) {
		for i, w := range words(string(plain)) {
			if len(out) < mostValues && scenario.InWord(w[0]) {
				out[fmt.Sprintf("word %d", i/2+1)] = w
			}
		}
	}
	return out
}

func (vs values) add(at jsonPath, v any, allowed *Allowed) {
	if len(vs) >= mostValues || len(at) > mostSteps || allowed.json.cover(at) {
		return
	}
	switch v := v.(type) {
	case []any:
		different := map[string]bool{}
		for i := range v {
			vs.add(append(slices.Clone(at), fmt.Sprintf("[%d]", i)), v[i], allowed)
			different[jsonText(v[i])] = true
		}
		if len(v) > 1 {
			vs[append(slices.Clone(at), elements).String()] = fmt.Sprint(float64(len(different)) / float64(len(v)))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			vs.add(append(slices.Clone(at), name), v[name], allowed)
		}
	default:
		vs[at.String()] = jsonText(v)
	}
}

// elements is the last step to the elements of a list.
const elements = "[*]"

// spread is the values of one side in its answers to a request, by place: before the load, and under it.
type spread struct{ before, load map[string][]string }

// spreads returns the spreads of the sides that have a sample of answers to the request at index, without
// those that have answered wrongly.
func (j *judge) spreads(index int) map[string]*spread {
	all := map[string]*spread{}
	for _, name := range j.names {
		e, s := j.all[name], &spread{map[string][]string{}, map[string][]string{}}
		first := e.first(index)
		for _, x := range e.blended {
			if x.Index == index && !x.Cut && first != nil {
				for at, v := range j.valuesOf(first, x.Body) {
					s.load[at] = append(s.load[at], v)
				}
			}
		}
		if len(s.load) == 0 || j.out[name].Wrong != nil {
			continue
		}
		for _, answers := range e.answers {
			for k := range answers {
				if a := &answers[k]; a.Index == index {
					for at, v := range j.valuesOf(a, a.Response.Body) {
						s.before[at] = append(s.before[at], v)
					}
				}
			}
		}
		all[name] = s
	}
	return all
}

// blend makes one sample of both, of which so many answers had their shape and so many had not.
func (e *evidence) blend(fits, odds int64) {
	e.fits, e.odds = fits, odds
	share := func(of []load.Sampled, all int64) float64 {
		if all == 0 {
			return 1
		}
		return float64(len(of)) / float64(all)
	}
	least := min(share(e.kept, fits), share(e.odd, odds))
	e.blended = slices.Concat(some(e.kept, int(least*float64(fits)+.5)), some(e.odd, int(least*float64(odds)+.5)))
}

// byChance is the probability at which draws of one distribution are taken for those of two.
const byChance = 1e-9

// distributions judges how values are distributed that vary in the answers to one request.
//
// A side has too few different values if another side has more, by more than chance explains. If both
// draw n values from one distribution, whatever it is, one draw changes the number of different ones by at
// most 1, so the two numbers differ by more than sqrt(n ln(2/p)) with a probability of less than p
// (McDiarmid's inequality for 2n draws); the mean shares of different elements by more than
// sqrt(ln(2/p)/n) (Hoeffding's). Clocks, counters and durations are no such draws: they depend on when and
// how fast a side is asked. So the values before the load, of both sides, must have been distributed as
// those of the other side are under it.
//
// A value stands still if most answers have the same, though all before the load had another, and on the
// other side it moves on.
func (j *judge) distributions(index int) {
	all := j.spreads(index)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, other := range slices.Sorted(maps.Keys(all)) {
			low, high := all[name], all[other]
			for _, at := range slices.Sorted(maps.Keys(low.load)) {
				n := min(len(low.load[at]), len(high.load[at]))
				if other == name || n < fewestRepeated {
					continue
				}
				mine, theirs := some(low.load[at], n), some(high.load[at], n)
				limit, sent := math.Log(2/byChance), j.all[name].first(index).Sent
				var wrong error
				switch more := float64(different(theirs) - different(mine)); {
				case still(low.before[at], low.load[at]) && !still(high.before[at], high.load[at]):
					j.blame(name, fmt.Errorf("under load it answered %s with one value at %s in most of %d sampled answers, though "+
						"its values there before the load were all different; %s did not: %s", sent, at, len(low.load[at]), other,
						shown(common(mine))))
				case isShare(at) && mean(theirs)-mean(mine) > math.Sqrt(limit/float64(n)):
					wrong = fmt.Errorf("under load it answered %s with lists at %s in which %.0f %% of the elements were different; "+
						"%s with %.0f %%", sent, at, 100*mean(mine), other, 100*mean(theirs))
				case !isShare(at) && more > math.Sqrt(float64(n)*limit):
					wrong = fmt.Errorf("under load it answered %s with %d different values at %s in %d sampled answers; %s with %d",
						sent, different(mine), at, n, other, different(theirs))
				}
				if wrong != nil && steady(high.before[at], high.load[at]) && steady(low.before[at], high.load[at]) {
					j.blame(name, wrong)
				}
			}
		}
	}
}

func isShare(at string) bool {
	return len(at) >= len(elements) && at[len(at)-len(elements):] == elements
}

func mean(shares []string) (sum float64) {
	for _, s := range shares {
		x, _ := strconv.ParseFloat(s, 64)
		sum += x / float64(len(shares))
	}
	return sum
}

func count(all []string) map[string]int {
	n := map[string]int{}
	for _, v := range all {
		n[v]++
	}
	return n
}

func different(all []string) int { return len(count(all)) }

// common returns the most frequent value.
func common(all []string) (most string) {
	n := count(all)
	for v, times := range n {
		if times > n[most] || times == n[most] && v < most {
			most = v
		}
	}
	return most
}

// fewestBefore is the number of answers before the load from which they show how values are distributed.
const fewestBefore = 10

// still reports whether most of the values under load are the same, though all before it were different.
// One that moves in steps is not still: a clock of milliseconds does, where many requests are in flight.
func still(before, got []string) bool {
	if len(before) < fewestBefore || different(before) < len(before) {
		return false
	}
	return count(got)[common(got)] > len(got)/2
}

// steady reports whether two groups of values may be from one distribution: the distance of their
// distribution functions (Kolmogorov and Smirnov's) is at most one half.
func steady(a, b []string) bool {
	if min(len(a), len(b)) < fewestBefore {
		return false
	}
	a, b = slices.SortedFunc(slices.Values(a), inOrder), slices.SortedFunc(slices.Values(b), inOrder)
	for i, k := 0, 0; i < len(a) && k < len(b); {
		v := a[i]
		if inOrder(b[k], v) < 0 {
			v = b[k]
		}
		for i < len(a) && inOrder(a[i], v) == 0 {
			i++
		}
		for k < len(b) && inOrder(b[k], v) == 0 {
			k++
		}
		if math.Abs(float64(i)/float64(len(a))-float64(k)/float64(len(b))) > .5 {
			return false
		}
	}
	return true
}

// inOrder compares two values: numbers by size, and before texts.
func inOrder(a, b string) int {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(x, y)
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

// fewestPairs is the number of pairs of answers to one draw from which frozen judges them.
const fewestPairs = 10

// frozen returns an error if values stand still for each draw of the request at index: most answers under
// load have the value of the first answer to the same draw, a quarter of the sample before, or of the one
// now, though no two answers to one draw had the same value there before the load.
func (j *judge) frozen(e *evidence, index int, all []load.Sampled) error {
	moving := j.moving(e, index)
	if all = some(all, mostAgain); len(all) == 0 || len(moving) == 0 {
		return nil
	}
	now, err := j.again(e.name, marksOf(all))
	if err != nil {
		return err
	}
	firsts, came := map[string]values{}, map[string]int{}
	pairs, same := [2]map[string]int{{}, {}}, [2]map[string]int{{}, {}}
	for i := range all {
		sent := now[i].Sent
		got := j.valuesOf(&now[i], all[i].Body)
		if firsts[sent] == nil {
			firsts[sent], came[sent] = got, i
		}
		others := []values{j.valuesOf(&now[i], now[i].Response.Body), firsts[sent]}
		if i-came[sent] < max(1, len(all)/4) {
			others = others[:1]
		}
		for k, other := range others {
			for at, v := range got {
				if w, ok := other[at]; ok && moving[at] {
					if pairs[k][at]++; v == w {
						same[k][at]++
					}
				}
			}
		}
	}
	for k := range pairs {
		for _, at := range slices.Sorted(maps.Keys(same[k])) {
			if n := pairs[k][at]; n >= fewestPairs && same[k][at] > n/2 {
				return fmt.Errorf("it answered requests such as %s again with the same value at %s, in %d of %d pairs of "+
					"answers, though before the load each answer had another", now[0].Sent, at, same[k][at], n)
			}
		}
	}
	return nil
}

// moving returns the places at which no two answers to one draw had the same value before the load.
func (j *judge) moving(e *evidence, index int) map[string]bool {
	moves := map[string]bool{}
	for k := range e.answers[0] {
		if e.answers[0][k].Index != index {
			continue
		}
		by := map[string][]string{}
		for _, answers := range e.answers {
			for at, v := range j.valuesOf(&answers[k], answers[k].Response.Body) {
				by[at] = append(by[at], v)
			}
		}
		for at, all := range by {
			moved, ok := moves[at]
			moves[at] = (moved || !ok) && len(all) >= fewestBefore && different(all) == len(all)
		}
	}
	maps.DeleteFunc(moves, func(_ string, moved bool) bool { return !moved })
	return moves
}
