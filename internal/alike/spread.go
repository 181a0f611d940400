package alike

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// values are the values in an answer, by place: scalars of JSON, the number of elements of a list, and a list
// of scalars as a whole; words of another text; header fields. At the place of the elements of a list with two or
// more stands the share of them that are different.
type values map[string]string

// The places in one body that are looked at: how many, and how many steps deep.
const (
	mostValues = 256
	mostSteps  = 8
	mostWhole  = 64 // elements of a list that is looked at as a whole
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
		different, whole := map[string]bool{}, len(v) > 1 && len(v) <= mostWhole
		for i := range v {
			vs.add(append(slices.Clone(at), fmt.Sprintf("[%d]", i)), v[i], allowed)
			different[jsonText(v[i])] = true
			switch v[i].(type) {
			case []any, map[string]any:
				whole = false
			}
		}
		vs[at.String()+" | length"] = fmt.Sprint(len(v))
		if whole {
			vs[at.String()] = jsonText(v)
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

// rows are the answers of one side to a request, as values by place: before the load, and under it.
type rows struct{ before, load []values }

// theRequest is the place of what was drawn for the request of an answer.
const theRequest = "the request"

// varied judges how values vary in the bodies and headers of the answers to one request.
func (j *judge) varied(index int) {
	bodies, heads := map[string]*rows{}, map[string]*rows{}
	for _, name := range j.names {
		e := j.all[name]
		first := e.first(index)
		if first == nil || j.out[name].Wrong != nil {
			continue
		}
		before := j.before(e, index)
		read := func(sample []load.Sampled, into map[string]*rows, of func(x *load.Sampled) values) {
			sample = slices.DeleteFunc(slices.Clone(sample), func(x load.Sampled) bool { return x.Index != index || x.Cut })
			r := &rows{before: before}
			for i := range sample {
				r.load = append(r.load, of(&sample[i]))
			}
			if first.Drawn {
				for i, sent := range e.scenario.Drawn(marksOf(sample)...) {
					r.load[i][theRequest] = sent
				}
			}
			into[name] = r
		}
		if !j.sides.Allowed.body {
			read(e.blended, bodies, func(x *load.Sampled) values { return j.valuesOf(first, x.Body) })
		}
		inTurn := slices.SortedFunc(slices.Values(e.heads), func(a, b load.Sampled) int { return a.Nth - b.Nth })
		read(inTurn, heads, func(x *load.Sampled) values {
			vs := values{}
			j.addFields(vs, x.Fields, toHead(first))
			return vs
		})
	}
	for _, all := range []map[string]*rows{bodies, heads} {
		j.distributions(index, all)
		j.related(index, all)
	}
}

// before returns the values of the answers of a side to the request at index before the load.
func (j *judge) before(e *evidence, index int) (all []values) {
	for _, answers := range e.answers {
		for k := range answers {
			if a := &answers[k]; a.Index == index {
				all = append(all, j.places(a))
				all[len(all)-1][theRequest] = fmt.Sprint(k)
			}
		}
	}
	return all
}

// places returns the values in the body and in the header fields of an answer.
func (j *judge) places(a *scenario.Answer) values {
	vs := j.valuesOf(a, a.Response.Body)
	j.addFields(vs, a.Response.Fields, toHead(a))
	return vs
}

// addFields adds the lasting header fields but Date, and cookies without their attributes.
func (j *judge) addFields(vs values, fields []http1.Field, toHead bool) {
	for _, f := range fields {
		name := strings.ToLower(f.Name)
		if !lasting(name, toHead) || name == "date" || j.sides.Allowed.excuses(&difference{what: "header:" + name}) != "" {
			continue
		}
		if name == "set-cookie" {
			cookie, v, _ := strings.Cut(f.Value, "=")
			name += " (" + shown(strings.TrimSpace(cookie)) + ")"
			f.Value, _, _ = strings.Cut(v, ";")
		}
		vs["header "+name] = f.Value
	}
}

// placesOf returns all places of rows.
func placesOf(all []values) []string {
	at := map[string]bool{}
	for _, vs := range all {
		for p := range vs {
			at[p] = true
		}
	}
	return slices.Sorted(maps.Keys(at))
}

// column returns the values at one place.
func column(all []values, at string) (out []string) {
	for _, vs := range all {
		if v, ok := vs[at]; ok {
			out = append(out, v)
		}
	}
	return out
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
// those of the other side are under it; nor are values that come again just after each other alone.
//
// A value stands still if most answers have the same, though all before the load had another, and on the
// other side it moves on.
func (j *judge) distributions(index int, all map[string]*rows) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, other := range slices.Sorted(maps.Keys(all)) {
			for _, at := range placesOf(all[name].load) {
				got, before := column(all[name].load, at), column(all[name].before, at)
				theirs, theirsBefore := column(all[other].load, at), column(all[other].before, at)
				n := min(len(got), len(theirs))
				if other == name || n < fewestRepeated || at == theRequest {
					continue
				}
				mine, theirs := some(got, n), some(theirs, n)
				limit, sent := math.Log(2/byChance), j.all[name].first(index).Sent
				var wrong error
				switch more := float64(different(theirs) - different(mine)); {
				case still(before, got) && !still(theirsBefore, theirs):
					j.blame(name, fmt.Errorf("under load it answered %s with one value at %s in most of %d sampled answers, though "+
						"its values there before the load were all different; %s did not", sent, at, len(got), other))
				case isShare(at) && byLot(repeating(mine), n, repeating(theirs), n) < byChance:
					wrong = fmt.Errorf("under load it answered %s with lists at %s that have an element twice in %d of %d sampled "+
						"answers; %s in %d", sent, at, repeating(mine), n, other, repeating(theirs))
				case isShare(at) && mean(theirs)-mean(mine) > math.Sqrt(limit/float64(n)):
					wrong = fmt.Errorf("under load it answered %s with lists at %s in which %.0f %% of the elements were different; "+
						"%s with %.0f %%", sent, at, 100*mean(mine), other, 100*mean(theirs))
				case !isShare(at) && more > math.Sqrt(float64(n)*limit):
					wrong = fmt.Errorf("under load it answered %s with %d different values at %s in %d sampled answers; %s with %d",
						sent, different(mine), at, n, other, different(theirs))
				}
				if wrong != nil && steady(theirsBefore, theirs) && steady(before, theirs) && (isShare(at) || !bursts(got)) {
					j.blame(name, wrong)
				}
			}
		}
	}
}

func isShare(at string) bool {
	return len(at) >= len(elements) && at[len(at)-len(elements):] == elements
}

// repeating counts the lists with an element that comes again.
func repeating(shares []string) int { return len(shares) - count(shares)["1"] }

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

// bursts reports whether values come again just after each other alone: those that a clock decides, such as
// the ETag of a body with the time.
func bursts(got []string) bool {
	const near = 4
	var apart []string
	for i, v := range got {
		if !slices.Contains(got[max(0, i-near):i], v) {
			apart = append(apart, v)
		}
	}
	return different(apart)*10 > len(apart)*9
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
// load have the value of another one to the same draw, far from it, or of the one now, though two thirds of the
// answers to one draw had different values there before the load.
func (j *judge) frozen(e *evidence, index int, all []load.Sampled) error {
	moving := j.moving(e, index)
	if all = some(all, mostAgain); len(all) == 0 || len(moving) == 0 {
		return nil
	}
	now, err := j.again(e.name, marksOf(all))
	if err != nil {
		return err
	}
	var under []values
	var withNow [][2]values
	for i := range all {
		vs := j.valuesOf(&now[i], all[i].Body)
		vs[theRequest] = now[i].Sent
		under = append(under, vs)
		withNow = append(withNow, [2]values{vs, j.valuesOf(&now[i], now[i].Response.Body)})
	}
	for _, two := range [][][2]values{withNow, pairs(under, theRequest)} {
		for _, at := range moving {
			if other, of := unequal(two, at); of >= fewestPairs && of-other > of/2 {
				return fmt.Errorf("it answered requests such as %s again with the same value at %s, in %d of %d pairs of "+
					"answers, though before the load most answers had another", now[0].Sent, at, of-other, of)
			}
		}
	}
	return nil
}

// moving returns the places at which two thirds of the answers to each draw had different values before the load.
func (j *judge) moving(e *evidence, index int) []string {
	all := j.before(e, index)
	return slices.DeleteFunc(placesOf(all), func(at string) bool {
		by := map[string][]values{}
		for _, vs := range all {
			by[vs[theRequest]] = append(by[vs[theRequest]], vs)
		}
		for _, of := range by {
			got := column(of, at)
			if len(got) < fewestBefore && len(got) > 0 || different(got)*3 < len(got)*2 {
				return true
			}
		}
		return false
	})
}
