package alike

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// values are the values in an answer, by place: JSON scalars, list lengths, and a scalar list in
// full; words in other texts; header fields. For a list with two or more elements, the place of its
// elements holds the share of different elements.
type values map[string]string

// Limits on the places in one body: their number, the depth, and the length of a list that is
// compared in full.
const (
	mostValues = 256
	mostSteps  = 8
	mostWhole  = 64
)

// valuesOf returns the values in a body, except where --differ accepts any.
func (j *juror) valuesOf(first *scenario.Answer, body []byte) values {
	r := *first.Response
	r.Body = body
	plain, out := wire.Decoded(&r), values{}
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
		different, scalars := map[string]bool{}, len(v) > 1 && len(v) <= mostWhole
		for i := range v {
			vs.add(append(slices.Clone(at), fmt.Sprintf("[%d]", i)), v[i], allowed)
			different[jsonText(v[i])] = true
			switch v[i].(type) {
			case []any, map[string]any:
				scalars = false
			}
		}
		vs[at.String()+" | length"] = fmt.Sprint(len(v))
		if scalars {
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

// elements is the last step in the path to a list's elements.
const elements = "[*]"

// rows are one side's answers to a request, as values by place: before the load, to Ask and in
// turn, and under load.
type rows struct{ before, inTurn, load []values }

// theRequest is the place that holds the values drawn for an answer's request.
const theRequest = "the request"

// varied judges how values vary in the bodies and headers of the answers to one request.
func (j *juror) varied(index int) {
	bodies, heads := map[string]*rows{}, map[string]*rows{}
	for _, name := range j.names {
		e := j.all[name]
		first := e.first(index)
		if first == nil || j.out[name].Wrong != nil {
			continue
		}
		before, inTurn := j.before(e, index), j.inTurn(e.side.inTurn, index)
		read := func(sample []load.Sampled, into map[string]*rows, of func(x *load.Sampled) values) {
			sample = slices.DeleteFunc(slices.Clone(sample), func(x load.Sampled) bool { return x.Index != index || x.Cut })
			r := &rows{before: before, inTurn: inTurn}
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
		byTime := slices.SortedFunc(slices.Values(e.heads), func(a, b load.Sampled) int { return a.Nth - b.Nth })
		read(byTime, heads, func(x *load.Sampled) values {
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

// before returns the values in a side's answers to the request at index before the load.
func (j *juror) before(e *evidence, index int) (all []values) {
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

// places returns the values in an answer's body and header fields.
func (j *juror) places(a *scenario.Answer) values {
	vs := j.valuesOf(a, a.Response.Body)
	j.addFields(vs, a.Response.Fields, toHead(a))
	return vs
}

// addFields adds the lasting header fields except Date, and cookies without attributes.
func (j *juror) addFields(vs values, fields []wire.Field, toHead bool) {
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

// placesOf returns all places in rows.
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

// blend makes one sample from kept and odd, in proportion to the numbers of answers that had the
// expected shape and that had not.
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

// byChance is the probability below which two samples are taken to have different distributions.
const byChance = 1e-9

// distributions judges how the varying values in the answers to one request are distributed, at
// each place and in each part of a value (otherwise). It also judges whether values stand still:
// most answers have the same one, though all before the load differed, and the other side's value
// moves on. Values that repeat only in close succession are a clock's.
func (j *juror) distributions(index int, all map[string]*rows) {
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		for _, other := range names {
			for _, at := range placesOf(all[name].load) {
				before, got := column(all[name].before, at), column(all[name].load, at)
				theirsBefore, theirs := column(all[other].before, at), column(all[other].load, at)
				if min(len(got), len(theirs)) >= fewestRepeated && still(before, got) && !still(theirsBefore, theirs) {
					j.blame(name, fmt.Errorf("under load it answered %s with one value at %s in most of %d sampled answers, though "+
						"its values there before the load were all different; %s did not", j.all[name].first(index).Sent, at,
						len(got), other))
				}
			}
		}
		for _, other := range names[i+1:] {
			j.pair(index, name, other, all)
		}
	}
}

// pair judges how two sides' values are distributed. It compares them with all answers before the
// load, and with the first ones. A finding must repeat itself in answers to the same requests after
// the load, which excludes durations, queues and clocks.
func (j *juror) pair(index int, name, other string, all map[string]*rows) {
	a, b := inParts(all[name].load), inParts(all[other].load)
	was := [2][2][]values{}
	for k, name := range []string{name, other} {
		rows := all[name].inTurn
		if was[k] = [2][]values{rows, rows[:min(len(rows), fewestEarly)]}; len(rows) < fewestRepeated {
			was[k] = [2][]values{inParts(all[name].before), nil}
		}
	}
	places := placesOf(slices.Concat(a, b))
	for _, at := range places {
		x, y := valuesAt(a, at), valuesAt(b, at)
		for k := range was[0] {
			xWas, yWas := valuesAt(was[0][k], at), valuesAt(was[1][k], at)
			wrong, why := otherwise(x, y, xWas, yWas, byChance/float64(len(places)))
			if wrong == 0 || at == theRequest || clumped(a, at) || clumped(b, at) ||
				slices.ContainsFunc([][]values{a, b, was[0][k], was[1][k]}, func(all []values) bool {
					return len(column(all, at)) == 0 // judged elsewhere
				}) {
				continue
			}
			if j.again != nil {
				if again, _ := otherwise(valuesAt(j.afterwards(name, index), at),
					valuesAt(j.afterwards(other, index), at), xWas, yWas,
					byChance*1000); again != wrong {
					continue
				}
			}
			if wrong > 0 {
				name, other = other, name
			}
			j.blame(name, fmt.Errorf("under load its values at %s in the answers to %s are distributed "+
				"differently from those of "+
				"%s: %s", at, j.all[name].first(index).Sent, other, why))
			return
		}
	}
}

// inTurn returns the values, in parts, of the answers to the request at index.
func (j *juror) inTurn(all []scenario.Answer, index int) (out []values) {
	for k := range all {
		if all[k].Index == index && len(out) < mostRows {
			out = append(out, j.places(&all[k]))
			out[len(out)-1][theRequest] = all[k].Sent
		}
	}
	return inParts(out)
}

// afterwards returns the values in a side's answers to Scenario.InTurn after the epoch's loads.
func (j *juror) afterwards(name string, index int) []values {
	e := j.all[name]
	if e.now == nil {
		e.now, _ = j.again(name, InTurn)
	}
	return j.inTurn(e.now, index)
}

const (
	mostRows    = 1024 // rows whose parts are compared
	mostParts   = 600  // parts of an answer
	fewestEarly = 100  // number of answers before the load that count as the first ones
	longText    = 8    // texts of at least this length, in characters, are also compared character by character
	mostLetters = 40   // characters of a text that are parts
)

// inParts adds parts to the values, because some parts may be drawn and others not: texts between
// punctuation, each character by position, lengths, and whether a value equals the one in the
// previous answer to the same draw.
func inParts(all []values) (out []values) {
	last := map[string]values{} // by draw
	for _, vs := range some(all, mostRows) {
		parts, was := maps.Clone(vs), last[vs[theRequest]]
		last[vs[theRequest]] = vs
		for _, at := range slices.Sorted(maps.Keys(vs)) {
			if v, ok := was[at]; ok {
				parts[at+" | again"] = fmt.Sprint(v == vs[at])
			}
			if _, isNumber := parseNumber(vs[at]); isNumber || strings.HasPrefix(vs[at], "[") ||
				at == theRequest || isTime(vs[at]) {
				continue
			}
			texts := strings.FieldsFunc(vs[at], func(r rune) bool { return strings.ContainsRune(` .:,;|/=&?@()<>"`, r) })
			for i, text := range texts {
				below := at
				if len(texts) > 1 {
					below = fmt.Sprintf("%s | part %d", at, i+1)
					parts[below] = text
				}
				parts[below+" | length"] = fmt.Sprint(len(text))
				for k := 0; len(text) >= longText && k < min(len(text), mostLetters) && len(parts) < mostParts; k++ {
					parts[fmt.Sprintf("%s | character %d", below, k+1)] = text[k : k+1]
				}
				if len(parts) >= mostParts {
					break
				}
			}
		}
		out = append(out, parts)
	}
	return out
}

// isTime reports whether a value is a date with a time: its parts only reflect when the request was
// sent.
func isTime(v string) bool {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.RFC1123} {
		if _, err := time.Parse(layout, strings.Trim(v, `"`)); err == nil {
			return true
		}
	}
	return false
}

// valuesAt returns each answer's value at a place, "" if there is none.
func valuesAt(all []values, at string) (out []string) {
	for _, vs := range all {
		out = append(out, vs[at])
	}
	return out
}

// otherwise decides which of samples x and y, from two sides, is distributed wrongly: -1 for x, 1
// for y, 0 if chance explains the difference with a probability of at least limit. Wrong is the
// sample that is unlike its side's answers before the load, if the other sample is not and both
// sides were alike then; or, if neither changed, the one with fewer different values, unless they
// are numbers in a different range.
func otherwise(x, y, xWas, yWas []string, limit float64) (wrong int, why string) {
	n := min(len(x), len(y))
	if n < fewestRepeated || min(len(xWas), len(yWas)) < fewestBefore || unlikely(some(x, n), some(y, n)) >= limit {
		return 0, ""
	}
	x, y = some(x, n), some(y, n)
	ofX, ofY, more := unlikely(x, xWas), unlikely(y, yWas), different(y)-different(x)
	least := min(ofX, ofY)
	switch alike := unlikely(xWas, yWas) >= .001; {
	case alike && ofY >= .01 && ofX < ofY/1000:
		wrong = -1
	case alike && ofX >= .01 && ofY < ofX/1000:
		wrong = 1
	case least < .01 || distance(x, y) > .5 || float64(max(more, -more)) < math.Sqrt(float64(n)*math.Log(2/limit)):
		return 0, ""
	case more > 0:
		wrong = -1
	default:
		wrong = 1
	}
	if wrong > 0 {
		x, y = y, x
	}
	return wrong, fmt.Sprintf("%s; the other's %s", summary(x), summary(y))
}

// summary shows no value: it may be secret.
func summary(all []string) string {
	return fmt.Sprintf("%d different values in %d sampled answers, the most frequent in %.0f %%", different(all), len(all),
		100*float64(count(all)[common(all)])/float64(len(all)))
}

// unlikely bounds the probability that two samples from one distribution are as different as a and
// b: in the values' frequencies (chi-square, by Chernoff's bound), in the number of repeated values
// in samples of equal size (Fisher's exact test) and, for numbers, in their location (Kolmogorov
// and Smirnov).
func unlikely(a, b []string) float64 {
	inA, inB := count(a), count(b)
	kinds, sum, ratio := -1.0, 0.0, math.Sqrt(float64(len(a))/float64(len(b)))
	add := func(x, y int) {
		d := float64(x)/ratio - float64(y)*ratio
		kinds, sum = kinds+1, sum+d*d/float64(x+y)
	}
	for v, x := range inA {
		add(x, inB[v])
	}
	for v, y := range inB {
		if inA[v] == 0 {
			add(0, y)
		}
	}
	p, n := 1.0, float64(len(a)*len(b))/float64(len(a)+len(b))
	if kinds > 0 && sum > kinds {
		p = math.Exp((kinds - sum + kinds*math.Log(sum/kinds)) / 2)
	}
	d, size := distance(a, b), min(len(a), len(b))
	againA, againB := size-different(some(a, size)), size-different(some(b, size))
	return min(1, 3*min(p, math.E*math.Exp(-2*n*d*d), byLot(againA, size, againB, size),
		byLot(againB, size, againA, size)))
}

// distance returns the Kolmogorov–Smirnov distance between two samples of numbers, 0 if a value is
// no number.
func distance(a, b []string) float64 {
	numbers := func(all []string) (out []float64) {
		for _, v := range all {
			if x, ok := parseNumber(v); ok {
				out = append(out, x)
			}
		}
		return out
	}
	x, y := numbers(a), numbers(b)
	if len(x) < len(a) || len(y) < len(b) {
		return 0
	}
	return apart(x, y, cmp.Compare)
}

// apart returns the Kolmogorov–Smirnov distance between two samples.
func apart[T any](a, b []T, compare func(a, b T) int) (most float64) {
	x, y := slices.SortedFunc(slices.Values(a), compare), slices.SortedFunc(slices.Values(b), compare)
	for i, k := 0, 0; i < len(x) && k < len(y); {
		v := x[i]
		if compare(y[k], v) < 0 {
			v = y[k]
		}
		for i < len(x) && compare(x[i], v) == 0 {
			i++
		}
		for k < len(y) && compare(y[k], v) == 0 {
			k++
		}
		most = max(most, math.Abs(float64(i)/float64(len(x))-float64(k)/float64(len(y))))
	}
	return most
}

func parseNumber(v string) (float64, bool) {
	x, err := strconv.ParseFloat(v, 64)
	return x, err == nil && !math.IsNaN(x)
}

// clumped reports whether the values at a place, or at a place that contains it, repeat only in
// close succession: a clock decides them, as in the ETag of a body with the time.
func clumped(all []values, at string) bool {
	const near = 4
	for {
		var apart []string
		got := valuesAt(all, at)
		for i, v := range got {
			if !slices.Contains(got[max(0, i-near):i], v) {
				apart = append(apart, v)
			}
		}
		if len(apart) > 1 && len(apart)*20 < len(got)*19 && different(apart)*10 > len(apart)*9 {
			return true
		}
		end := strings.LastIndex(at, " | ")
		if end < 0 {
			return false
		}
		at = at[:end]
	}
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

// fewestBefore is the smallest number of answers before the load that show how values are
// distributed.
const fewestBefore = 10

// still reports whether most values under load are the same, though all values before the load were
// different. A value that moves in steps is not still, such as a clock in milliseconds while many
// requests are in flight.
func still(before, got []string) bool {
	if len(before) < fewestBefore || different(before) < len(before) {
		return false
	}
	return count(got)[common(got)] > len(got)/2
}

// steady reports whether two groups of values may have one distribution: both have at least
// fewestBefore values, and the Kolmogorov–Smirnov distance is at most one half.
func steady(a, b []string) bool {
	return min(len(a), len(b)) >= fewestBefore && apart(a, b, inOrder) <= .5
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

// fewestPairs is the number of answer pairs needed to show that values go together.
const fewestPairs = 10
