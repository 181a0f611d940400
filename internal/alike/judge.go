package alike

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// Verdict says what was found in the answers of one side that were sampled under load.
type Verdict struct {
	Answers  int64 // to requests whose bodies vary
	Compared int64 // whole
	Long     int64 // of Answers, those of which only the length was compared
	Heads    int64 // answers whose header section was compared
	Wrong    error // the first that is wrong; nil: none was found
}

// Again sends the requests with these marks to a side once more; nil: those that Ask sent; empty, but
// not nil: those of Scenario.Reread.
type Again func(side string, marks []scenario.Mark) ([]scenario.Answer, error)

// Judge compares what was sampled of the sides in one epoch, under the contract that Agree
// returned. It must not be called while a load runs.
//
// A response to a request without placeholders must repeat what its side answered before the load,
// except for what varied then, and for what also varies on another side under load. The response to
// a request with placeholders must be what another side answers to the same request, and what that
// is, is asked afterwards. Header sections must be as before the load. Values that vary must vary as on the
// other sides. Where responses depend on earlier requests, their shape must be one that
// another side shows, too. again is called for sides in seen alone.
func (s *Sides) Judge(contract *scenario.Scenario, seen map[string]*load.Sampler, again Again) map[string]*Verdict {
	j := &judge{sides: s, contract: contract, again: again, out: map[string]*Verdict{}, all: map[string]*evidence{}}
	for _, one := range s.all {
		if seen[one.name] == nil {
			continue
		}
		v, e := &Verdict{}, &evidence{side: one, varies: map[int]*variance{}}
		var odds int64
		v.Answers, e.kept, e.odd, odds = seen[one.name].Seen()
		e.blend(v.Answers-odds, odds)
		v.Long, e.heads = seen[one.name].Long(), seen[one.name].Heads()
		j.names = append(j.names, one.name)
		j.out[one.name], j.all[one.name] = v, e
		e.learn(s.stateful)
		j.learnHeads(e)
	}
	for _, name := range j.names {
		j.side(name)
	}
	for index := range contract.Requests {
		if !s.stateful && !s.Allowed.body {
			j.distributions(index)
		}
	}
	if s.stateful && j.sampled() && !j.client() {
		j.stored()
	}
	return j.out
}

// stored fails each side on which no request changes what another one reads, though on the next side
// requests do. A side that is as full as it may become is none: its body is the longer one.
func (j *judge) stored() {
	reads, codes, moved := map[string][][]scenario.Answer{}, map[string]string{}, map[string]bool{}
	for _, name := range j.names {
		all, err := j.again(name, []scenario.Mark{})
		if err != nil {
			return
		}
		var safe []scenario.Answer
		for _, a := range all {
			if codes[name] += fmt.Sprintln(a.Response.Status); j.contract.Requests[a.Index].Safe() {
				safe = append(safe, a)
			}
		}
		for part := range slices.Chunk(safe, max(len(safe)/3, 1)) {
			reads[name] = append(reads[name], part)
		}
	}
	for _, name := range j.names {
		if r := reads[name]; len(r) == 3 {
			for k := range r[0] {
				moved[name] = moved[name] || len(bodyDifferences(r[0][k].Response, r[1][k].Response)) > 0 ||
					len(bodyDifferences(r[1][k].Response, r[2][k].Response)) > 0
			}
		}
	}
	for i, name := range j.names {
		other := j.names[(i+1)%len(j.names)]
		if moved[name] || !moved[other] || codes[name] != codes[other] {
			continue
		}
		for k, mine := range reads[name][2] {
			before, same, after := reads[other][1][k].Response, reads[other][0][k].Response, reads[other][2][k].Response
			if len(mine.Response.Body) > len(after.Body) || len(bodyDifferences(same, before)) > 0 ||
				len(bodyDifferences(before, after)) == 0 || len(bodyDifferences(mine.Response, before)) == 0 ||
				len(bodyDifferences(mine.Response, after)) == 0 || j.late(name, reads[name][2]) {
				continue
			}
			j.blame(name, fmt.Errorf("after the load it answered %s with %s, before requests that change state as after "+
				"them; %s answered %s, then %s", mine.Sent, shown(string(mine.Response.Body)), other,
				shown(string(before.Body)), shown(string(after.Body))))
			break
		}
	}
}

// sampled reports whether bodies were sampled.
func (j *judge) sampled() bool {
	return slices.ContainsFunc(j.names, func(name string) bool { return j.out[name].Answers > 0 })
}

// late reports whether a side reads something else than it did: it stores with a delay.
func (j *judge) late(name string, was []scenario.Answer) bool {
	time.Sleep(j.sides.Apart)
	now, err := j.again(name, []scenario.Mark{})
	if err != nil || len(now) < len(was) {
		return true
	}
	for k := range was {
		if len(bodyDifferences(was[k].Response, now[k].Response)) > 0 {
			return true
		}
	}
	return false
}

// judge is one call of Judge.
type judge struct {
	sides    *Sides
	contract *scenario.Scenario
	again    Again
	names    []string
	all      map[string]*evidence
	out      map[string]*Verdict
}

// evidence is what one side answered in the epoch.
type evidence struct {
	*side
	kept, odd  []load.Sampled
	fits, odds int64          // answers that these are samples of
	blended    []load.Sampled // of both, each in proportion to all answers like it
	heads      []load.Sampled
	unlike     [][]difference         // of heads in turn, from the first answer before the load
	counts     map[int]map[string]int // of heads, by request: all, as "", and those with such a difference
	differs    [][]difference         // of both in turn, from the first answer before the load; not of drawn requests
	varies     map[int]*variance      // of the answers under load, against the first before it; not of drawn requests
}

// learn finds what varies under load in the responses to requests without placeholders.
func (e *evidence) learn(stateful bool) {
	all := slices.Concat(e.kept, e.odd)
	e.differs = make([][]difference, len(all))
	for i, x := range all {
		first := e.first(x.Index)
		if first == nil || first.Drawn || x.Cut || stateful {
			continue
		}
		v := e.varies[x.Index]
		if v == nil {
			v = &variance{seen: map[[2]string]bool{}}
			e.varies[x.Index] = v
		}
		e.differs[i] = bodyDifferences(first.Response, response(first, &x))
		v.add(e.differs[i], false)
	}
}

// first returns the first answer to the request at index before the load.
func (one *side) first(index int) *scenario.Answer {
	for k := range one.answers[0] {
		if a := &one.answers[0][k]; a.Index == index {
			return a
		}
	}
	return nil
}

// response returns a sampled answer with the header fields that the side sent before the load.
func response(like *scenario.Answer, x *load.Sampled) *http1.Response {
	r := *like.Response
	r.Body = x.Body
	return &r
}

// side judges the answers of one side.
func (j *judge) side(name string) {
	e, v := j.all[name], j.out[name]
	fail := func(err error) {
		if v.Wrong == nil {
			v.Wrong = err
		}
	}
	for _, err := range []error{j.shapes(e), j.repeats(e), j.headers(e)} {
		if err != nil {
			fail(err)
		}
	}
	var drawn []load.Sampled
	byIndex := map[int][]load.Sampled{}
	for i, x := range slices.Concat(e.kept, e.odd) {
		first := e.first(x.Index)
		switch {
		case first == nil || !j.accepted(&x): // which the load has counted
		case j.sides.stateful || x.Cut || len(j.sides.all) == 1:
		case first.Drawn:
			drawn = append(drawn, x)
			byIndex[x.Index] = append(byIndex[x.Index], x)
		default:
			v.Compared++
			for _, d := range e.differs[i] {
				if !e.side.varies[x.Index].excuses(&d) && !j.elsewhere(name, x.Index, &d) {
					fail(fmt.Errorf("under load it answered %s differently than before: %s: under load %s; "+
						"before %s", first.Sent, newDifference(e.side, e.side, "", "", &d).where(), d.b, d.a))
					break
				}
			}
		}
	}
	if err := j.drawn(e, drawn); err != nil {
		fail(err)
	}
	for index, all := range byIndex {
		if v.Wrong == nil && !j.sides.Allowed.body {
			v.Wrong = j.frozen(e, index, all)
		}
	}
}

// accepted reports whether the contract accepts the status of a sampled answer.
func (j *judge) accepted(x *load.Sampled) bool {
	contract := &j.contract.Requests[x.Index].Expect
	return x.Status == contract.Status || contract.Statuses.Has(x.Status)
}

// elsewhere reports whether another side varies under load in what d says.
func (j *judge) elsewhere(name string, index int, d *difference) bool {
	return slices.ContainsFunc(j.names, func(o string) bool {
		v := j.all[o].varies[index]
		return o != name && v != nil && v.excuses(d)
	})
}

// slack is how many times longer or shorter than all others bodies may be. Those before the load are
// few, and where the length depends on earlier requests, a faster server has had more of these.
const slack = 2

// shapes judges the answers that lack the shape of those before the load: another side must have
// shown theirs. For requests with placeholders this is judged by asking, unless they are too long.
func (j *judge) shapes(e *evidence) error {
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

// mostRare is the share of answers, 1 in so many, that may hold a value which no other answer holds.
const mostRare = 10

// rare reports whether n odd answers that were kept of the request at index are few enough to hold by chance
// a value, such as zero, that no answer had before the load and none of the other sides has under it. That
// values vary there at all is judged apart.
func (j *judge) rare(e *evidence, index, n int) bool {
	others, mine := 0, e.answered(index)
	j.sides.responses(index, func(*scenario.Answer) bool { others++; return true })
	for _, name := range j.names {
		if name != e.name {
			others += j.all[name].answered(index)
		}
	}
	all := int(int64(n) * e.odds / int64(len(e.odd)))
	return all <= max(1, mine/mostRare) && byLot(all, mine, 0, others) >= byChance
}

// answered returns about how many answers to the request at index came under load.
func (e *evidence) answered(index int) int {
	of := func(sample []load.Sampled, all int64) (n int64) {
		for i := range sample {
			if sample[i].Index == index {
				n++
			}
		}
		return n * all / int64(max(1, len(sample)))
	}
	return int(of(e.kept, e.fits) + of(e.odd, e.odds))
}

// others returns the shape of all bodies before the load, and of those of the other sides under
// load.
func (j *judge) others(name string, index int) *scenario.Shape {
	var bodies [][]byte
	asJSON := true
	j.sides.responses(index, func(a *scenario.Answer) bool {
		asJSON = asJSON && isJSON(a.Response)
		bodies = append(bodies, a.Response.Body)
		return true
	})
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

// repeats returns an error if one body came again and again under load, though each response before
// the load had another, and so have most others. A server that answers from memory does so, all the
// time or still now; a clock moves on.
func (j *judge) repeats(e *evidence) error {
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

// fewestRepeated is the number of sampled answers from which repeats judges them.
const fewestRepeated = 50

// distinct reports whether all responses to a request before the load, ten or more, were different.
func (one *side) distinct(index int) bool {
	seen := map[string]bool{}
	for _, all := range one.answers {
		for _, a := range all {
			if a.Index == index {
				if seen[string(a.Response.Body)] {
					return false
				}
				seen[string(a.Response.Body)] = true
			}
		}
	}
	return len(seen) >= 10
}

// drawn compares answers with what the next side answers to the same requests now.
func (j *judge) drawn(e *evidence, all []load.Sampled) error {
	if len(all) == 0 {
		return nil
	}
	at := slices.Index(j.names, e.name)
	other := j.names[(at+1)%len(j.names)]
	if j.sides.Allowed.body {
		other = e.name // what another side answers may differ
	} else if other == e.name {
		return nil
	}
	answers, err := j.again(other, marksOf(all))
	if err != nil {
		if other == e.name {
			return err
		}
		j.blame(other, fmt.Errorf("asked what others were asked under load: %w", err))
		return nil
	}
	j.out[e.name].Compared += int64(len(all))
	for i := range all {
		x, y := &all[i], &answers[i]
		if d := j.unlike(e.name, other, response(y, x), y, nil); d != nil {
			if err := j.resolve(e, other, x, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// blame notes that a side answered wrongly.
func (j *judge) blame(name string, err error) {
	if v := j.out[name]; v.Wrong == nil {
		v.Wrong = err
	}
}

// unlike returns the first difference between a response of the side a and an answer of the side b
// that neither their variance nor --differ accepts; nil: there is none. own is the variance of the
// responses to this one request, of both sides, if it is known.
func (j *judge) unlike(a, b string, got *http1.Response, want *scenario.Answer, own map[string]*variance) *difference {
	varies := func(name string, d *difference) bool {
		return j.all[name].side.varies[want.Index].excuses(d) || own[name] != nil && own[name].excuses(d)
	}
	for _, d := range bodyDifferences(want.Response, got) {
		if !(varies(a, &d) && varies(b, &d)) && j.sides.Allowed.excuses(&d) == "" {
			return &d
		}
	}
	return nil
}

// resolve says whether the answer x of a side is wrong, which differs from y, the answer of another
// side. All sides are asked twice, the side itself included, and the majority is right.
func (j *judge) resolve(e *evidence, other string, x *load.Sampled, y *scenario.Answer) error {
	own, answers := map[string]*variance{}, map[string]*scenario.Answer{}
	for _, name := range j.names {
		two, err := j.again(name, []scenario.Mark{x.Mark, x.Mark})
		if err != nil {
			continue
		}
		answers[name], own[name] = &two[0], &variance{seen: map[[2]string]bool{}}
		own[name].add(bodyDifferences(two[0].Response, two[1].Response), true)
	}
	d := j.unlike(e.name, other, response(y, x), y, own)
	if d == nil {
		return nil
	}
	place := newDifference(e.side, e.side, "", "", d).where()
	wrong := fmt.Errorf("under load it answered %s wrongly: %s: under load %s; %s answers %s", y.Sent, place, d.b,
		other, d.a)
	unlikeUs := fmt.Errorf("it answers %s unlike %s under load: %s: it answers %s; %s answered %s", y.Sent, e.name, place,
		d.a, e.name, d.b)
	if two := answers[other]; two != nil && other != e.name && j.unlike(e.name, other, response(two, x), two, own) == nil {
		j.blame(other, unlikeUs) // it has answered in two ways
		return nil
	}
	votes, against := 0, 1
	for _, name := range j.names {
		same := answers[name] != nil && j.unlike(e.name, name, response(answers[name], x), answers[name], own) == nil
		switch {
		case name == other || answers[name] == nil && name != e.name:
		case same:
			votes++
		case name != e.name: // itself, it has answered in two ways
			against++
		default:
			return wrong
		}
	}
	if votes == against { // nobody may answer otherwise than before the load
		mine, theirs := j.changed(e.name), j.changed(other)
		switch {
		case mine && !theirs:
			return wrong
		case theirs && !mine:
			votes++
		}
	}
	const anyLength = 1 << 20
	shape := j.contract.Requests[x.Index].Expect.Shape
	mine, theirs := shape.Breach(x.Body, anyLength), shape.Breach(y.Response.Body, anyLength)
	switch {
	case votes > against, votes == against && mine == "" && theirs != "":
		j.blame(other, unlikeUs)
		return nil
	case votes == against && (mine == "") == (theirs == ""):
		cannot := fmt.Errorf("%s and %s answer %s differently, and nothing tells which is right: %s: %s %s; %s %s",
			e.name, other, y.Sent, place, e.name, d.b, other, d.a)
		j.blame(other, cannot)
		return cannot
	}
	return wrong
}

// changed reports whether a side answers the requests of Ask otherwise now, apart from what varies.
func (j *judge) changed(name string) bool {
	one := j.all[name]
	now, err := j.again(name, nil)
	if err != nil || len(now) != len(one.answers[0]) {
		return true
	}
	for k := range now {
		before := &one.answers[0][k]
		for _, d := range bodyDifferences(before.Response, now[k].Response) {
			if !one.side.varies[before.Index].excuses(&d) && !j.elsewhere(name, before.Index, &d) {
				return true
			}
		}
	}
	return false
}
