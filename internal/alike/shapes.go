package alike

import (
	"cmp"
	"fmt"
	"slices"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// slack is the factor by which bodies may be longer or shorter than all others. Bodies before the
// load are few, and if the length depends on earlier requests, a faster server has had more
// requests.
const slack = 2

// shapes judges answers without the shape that answers had before the load: another side must have
// shown the same. Answers to drawn requests are judged by asking again instead, unless they are too
// long.
func (j *juror) shapes(e *evidence) error {
	others, sparse, rare := map[int]*scenario.Shape{}, map[int]*scenario.Shape{}, map[int]int{}
	for _, x := range e.odd {
		first := e.first(x.Index)
		if first == nil || first.Drawn && !x.Cut && !j.sides.stateful && len(j.names) > 1 {
			continue
		}
		shape := others[x.Index]
		if shape == nil {
			shape = j.others(e.name, x.Index)
			others[x.Index] = shape
		}
		why := ""
		if _, coded := first.Response.Get("content-encoding"); x.Cut || coded {
			if x.Length < shape.Least/slack || x.Length > shape.Most*slack || x.Length == 0 {
				why = fmt.Sprintf("a body of %d bytes; right ones have %d to %d", x.Length, shape.Least, shape.Most)
			}
		} else {
			why = shape.Breach(x.Body, slack)
		}
		if why != "" && !x.Cut && !j.sides.stateful {
			if sparse[x.Index] == nil {
				sparse[x.Index] = j.others(e.name, x.Index)
				sparse[x.Index].AllowRare()
			}
			if sparse[x.Index].Breach(x.Body, slack) == "" {
				if rare[x.Index]++; j.rare(e, x.Index, rare[x.Index]) {
					continue
				}
			}
		}
		if why != "" {
			if len(x.Body) > 0 {
				why += ": " + shown(string(x.Body))
			}
			sent := cmp.Or(e.scenario.Asked(x.Mark), first.Sent)
			return fmt.Errorf("under load it answered %s with %s", sent, why)
		}
	}
	return nil
}

// mostRare is the inverse of the largest share of answers that may hold a value which no other
// answer holds.
const mostRare = 10

// rare reports whether chance explains the value that n kept odd answers to the request at index
// have, because they are so few. The value, such as zero, is one that no answer had before the load
// and no other side's answer had under load. Whether values vary there at all is judged elsewhere.
func (j *juror) rare(e *evidence, index, n int) bool {
	others, mine := 0, e.answered(index)
	for range j.sides.to(index) {
		others++
	}
	for _, name := range j.names {
		if name != e.name {
			others += j.all[name].answered(index)
		}
	}
	all := int(int64(n) * e.odds / int64(len(e.odd)))
	return all <= max(1, mine/mostRare) && byLot(all, mine, 0, others) >= byChance
}

// answered estimates the number of answers to the request at index under load.
func (e *evidence) answered(index int) int {
	estimate := func(sample []load.Sampled, all int64) (n int64) {
		for i := range sample {
			if sample[i].Index == index {
				n++
			}
		}
		return n * all / int64(max(1, len(sample)))
	}
	return int(estimate(e.kept, e.fits) + estimate(e.odd, e.odds))
}

// others returns the shape of all bodies before the load and of the other sides' bodies under load.
func (j *juror) others(name string, index int) *scenario.Shape {
	var bodies [][]byte
	asJSON := true
	for a := range j.sides.to(index) {
		asJSON = asJSON && isJSON(a.Response)
		bodies = append(bodies, a.Response.Body)
	}
	for _, o := range j.names {
		if o == name {
			continue
		}
		first := j.all[o].first(index)
		for _, x := range slices.Concat(j.all[o].kept, j.all[o].odd) {
			if r := response(first, &x); x.Index == index && !x.Cut && len(x.Body) > 0 && (!asJSON || isJSON(r)) {
				bodies = append(bodies, x.Body)
			}
		}
	}
	shape := scenario.NewShape(bodies, asJSON)
	if j.sides.stateful {
		shape.Loosen()
	}
	return shape
}

// repeats returns an error if one body is most of the sampled answers to a request, although all
// bodies before the load were different. It also returns one if a body recurs among answers that
// are nearly all different, and either does so over half the load or is still sent now: a server
// with a cache does this, a clock does not.
func (j *juror) repeats(e *evidence) error {
	type came struct{ times, first, last int }
	bodies, counts, marks := map[int]map[string]came{}, map[int]int{}, map[int]scenario.Mark{}
	for _, x := range e.kept {
		if bodies[x.Index] == nil {
			bodies[x.Index] = map[string]came{}
		}
		c, ok := bodies[x.Index][string(x.Body)]
		if !ok {
			c.first = counts[x.Index]
		}
		c.times, c.last = c.times+1, counts[x.Index]
		bodies[x.Index][string(x.Body)] = c
		counts[x.Index]++
		marks[x.Index] = x.Mark
	}
	for index, n := range counts {
		first := e.first(index)
		if first == nil || first.Drawn || n < fewestRepeated || !e.distinct(index) {
			continue
		}
		others := len(bodies[index]) - 1
		for body, c := range bodies[index] {
			wrong := c.times > n/2
			if !wrong && c.times >= 5 && others*10 > (n-c.times)*9 {
				if wrong = c.last-c.first > n/2; !wrong && !j.sides.stateful {
					now, err := j.again(e.name, []scenario.Mark{marks[index]})
					wrong = err == nil && string(now[0].Response.Body) == body
				}
			}
			if wrong {
				return fmt.Errorf("under load it answered %s with one body in %d of %d sampled answers, though its "+
					"answers before the load were all different: %s", first.Sent, c.times, n, shown(body))
			}
		}
	}
	return nil
}

// fewestRepeated is the smallest number of sampled answers for which a side is judged.
const fewestRepeated = 50

// distinct reports whether a side's responses to a request before the load, ten or more, were all
// different.
func (one *side) distinct(index int) bool {
	var bodies []string
	for a := range one.to(index) {
		bodies = append(bodies, string(a.Response.Body))
	}
	return len(bodies) >= 10 && different(bodies) == len(bodies)
}
