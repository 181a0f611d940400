package alike

import (
	"fmt"
	"slices"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Verdict is the result for one side's answers that were sampled under load.
type Verdict struct {
	Answers  int64 // answers to requests whose bodies vary
	Compared int64 // bodies compared in full
	Long     int64 // answers, counted in Answers, whose length alone was compared
	Heads    int64 // answers whose header section was compared
	Wrong    error // the first wrong answer; nil: none was found
}

// Again sends the requests with these marks to a side once more. nil stands for Ask's requests, InTurn
// itself for Scenario.InTurn's.
type Again func(side string, marks []scenario.Mark) ([]scenario.Answer, error)

// InTurn stands for the requests of Scenario.InTurn.
var InTurn = make([]scenario.Mark, 1)

// Judge compares the samples from all sides in one epoch, under the contract that Agree returned.
// inTurn holds each side's answers to Scenario.InTurn, freshly started, before the epoch's loads.
// Judge must not be called while a load runs.
//
// A response to a request without placeholders must repeat its side's answers from before the load,
// except for parts that varied then, or that also vary on another side under load. A response to a
// request with placeholders must equal another side's response to the same request, for which Judge
// asks after the load. Header sections must be as before the load. Values that vary must not repeat
// more than on the other sides. If responses depend on earlier requests, their shape must occur on
// another side, too. Judge calls again only for sides in seen.
func (s *Sides) Judge(contract *scenario.Scenario, seen map[string]*load.Sampler,
	inTurn map[string][]scenario.Answer, again Again) map[string]*Verdict {
	j := &juror{sides: s, contract: contract, again: again, out: map[string]*Verdict{}, all: map[string]*evidence{}}
	for _, one := range s.all {
		if seen[one.name] == nil {
			continue
		}
		v, e := &Verdict{}, &evidence{side: one, inTurn: inTurn[one.name], varies: map[int]*variance{},
			settles: map[int]bool{}}
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
	for _, name := range j.names {
		j.drawnHeads(j.all[name])
	}
	for index := range contract.Requests {
		if !j.open(index) {
			j.varied(index)
		}
	}
	if !j.client() && !s.Allowed.body && len(j.names) > 1 {
		j.histories()
	}
	return j.out
}

// juror is one call of Judge.
type juror struct {
	sides    *Sides
	contract *scenario.Scenario
	again    Again
	names    []string
	all      map[string]*evidence
	out      map[string]*Verdict
}

// evidence is one side's answers in the epoch.
type evidence struct {
	*side
	inTurn     []scenario.Answer // answers to Scenario.InTurn in this epoch
	now        []scenario.Answer // answers to the same requests after the epoch's loads; nil until they are asked for
	kept, odd  []load.Sampled
	fits, odds int64          // numbers of answers that kept and odd are samples from
	blended    []load.Sampled // sample from kept and odd, in proportion to fits and odds
	heads      []load.Sampled
	unlike     [][]difference         // for each element in heads: differences from the first answer before the load
	counts     map[int]map[string]int // by request index: header sections, under "", and those with each difference
	// for kept, then odd: differences from the first answer before the load; none for drawn
	// requests
	differs [][]difference
	varies  map[int]*variance // answers under load, against the first before it; no drawn requests
	settles map[int]bool      // results of settled
}

// learn finds which parts vary under load in responses to requests without placeholders.
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
			v = newVariance()
			e.varies[x.Index] = v
		}
		e.differs[i] = bodyDifferences(first.Response, response(first, &x))
		v.add(e.differs[i], false)
	}
}

// first returns the first answer to the request at index before the load.
func (one *side) first(index int) *scenario.Answer {
	for a := range one.to(index) {
		return a
	}
	return nil
}

// response returns a sampled answer with the header fields that the side sent before the load.
func response(like *scenario.Answer, x *load.Sampled) *wire.Response {
	r := *like.Response
	r.Status, r.Body = x.Status, x.Body
	return &r
}

// side judges one side's answers.
func (j *juror) side(name string) {
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
	for i, x := range slices.Concat(e.kept, e.odd) {
		first := e.first(x.Index)
		switch {
		case first == nil || !j.accepted(&x): // the load has counted these
		case j.sides.stateful && !(first.Drawn && j.sole(x.Index)) || x.Cut || len(j.sides.all) == 1:
		case first.Drawn:
			drawn = append(drawn, x)
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
}

// open reports whether the answers to a request may depend on earlier requests: in a session, or
// for a safe request beside one that changes state.
func (j *juror) open(index int) bool {
	return j.sides.stateful && (j.client() || j.contract.Requests[index].Safe())
}

// sole reports whether a request is the only one that may change state, while the sides' bodies
// have to be alike. The same draws were sent repeatedly before the load, so effects of a change on
// the next one like it counted as varying.
func (j *juror) sole(index int) bool {
	if j.open(index) || j.sides.Allowed.body {
		return false
	}
	for i := range j.contract.Requests {
		if r := &j.contract.Requests[i]; i != index && r.Weight > 0 && !r.Safe() {
			return false
		}
	}
	return true
}

// fewestSettled is the smallest number of sampled answers for which settled decides.
const fewestSettled = 10

// settled reports whether a side still answers as under load, so that no state has changed its
// answers.
func (j *juror) settled(name string, index int) bool {
	e := j.all[name]
	ok, known := e.settles[index]
	if known || !j.sides.stateful {
		return ok || !known
	}
	all := some(slices.DeleteFunc(slices.Concat(e.kept, e.odd), func(x load.Sampled) bool {
		return x.Index != index || x.Cut || !j.accepted(&x)
	}), mostAgain)
	now, err := j.again(name, marksOf(all))
	ok = err == nil && len(all) >= fewestSettled
	for i := 0; ok && i < len(all); i++ {
		ok = j.unlike(name, name, response(&now[i], &all[i]), &now[i], nil) == nil
	}
	e.settles[index] = ok
	return ok
}

// accepted reports whether the contract accepts a sampled answer's status.
func (j *juror) accepted(x *load.Sampled) bool {
	contract := &j.contract.Requests[x.Index].Expect
	return x.Status == contract.Status || contract.Statuses.Has(x.Status)
}

// elsewhere reports whether another side varies under load where d lies.
func (j *juror) elsewhere(name string, index int, d *difference) bool {
	return slices.ContainsFunc(j.names, func(o string) bool {
		v := j.all[o].varies[index]
		return o != name && v != nil && v.excuses(d)
	})
}

// drawn compares answers with the next side's answers to the same requests now.
func (j *juror) drawn(e *evidence, all []load.Sampled) error {
	if len(all) == 0 {
		return nil
	}
	at := slices.Index(j.names, e.name)
	other := j.names[(at+1)%len(j.names)]
	if j.sides.Allowed.body {
		other = e.name // bodies of other sides may differ
	} else if other == e.name {
		return nil
	}
	answers, err := j.again(other, marksOf(all))
	if err != nil {
		if other == e.name {
			return err
		}
		j.blame(other, fmt.Errorf("while it got the requests that others had under load: %w", err))
		return nil
	}
	j.out[e.name].Compared += int64(len(all))
	for i := range all {
		x, y := &all[i], &answers[i]
		if d := j.unlike(e.name, other, response(y, x), y, nil); d != nil && j.settled(other, x.Index) {
			if err := j.resolve(e, other, x, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// blame records that a side answered wrongly.
func (j *juror) blame(name string, err error) {
	if v := j.out[name]; v.Wrong == nil {
		v.Wrong = err
	}
}

// unlike returns the first difference between a response from side a and an answer from side b that
// neither their variances nor --differ accepts, or nil. own holds both sides' variances for this
// one request, if known.
func (j *juror) unlike(a, b string, got *wire.Response, want *scenario.Answer, own map[string]*variance) *difference {
	varies := func(name string, d *difference) bool {
		return j.all[name].side.varies[want.Index].excuses(d) || own[name] != nil && own[name].excuses(d)
	}
	for _, d := range append(statusDifference(want.Response, got), bodyDifferences(want.Response, got)...) {
		if !(varies(a, &d) && varies(b, &d)) && j.sides.Allowed.excuses(&d) == "" {
			return &d
		}
	}
	return nil
}

// resolve decides whether a side's answer x, which differs from another side's answer y, is wrong.
// It asks all sides twice, including this one; the majority is right.
func (j *juror) resolve(e *evidence, other string, x *load.Sampled, y *scenario.Answer) error {
	own, answers := map[string]*variance{}, map[string]*scenario.Answer{}
	for _, name := range j.names {
		two, err := j.again(name, []scenario.Mark{x.Mark, x.Mark})
		if err != nil {
			continue
		}
		answers[name], own[name] = &two[0], newVariance()
		own[name].add(differences(two[0].Response, two[1].Response), true)
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
		case name != e.name: // the side itself has answered in two ways
			against++
		default:
			return wrong
		}
	}
	if votes == against { // nobody may answer differently than before the load
		mine, theirs := j.changed(e.name), j.changed(other)
		switch {
		case mine && !theirs:
			return wrong
		case theirs && !mine:
			votes++
		}
	}
	switch {
	case votes > against:
		j.blame(other, unlikeUs)
		return nil
	case votes == against:
		cannot := fmt.Errorf("%s and %s answer %s differently, and nothing tells which is right: %s: %s %s; %s %s",
			e.name, other, y.Sent, place, e.name, d.b, other, d.a)
		j.blame(other, cannot)
		return cannot
	}
	return wrong
}

// changed reports whether a side now answers Ask's requests differently, apart from varying parts,
// or those of Scenario.InTurn, unless state may decide the answers.
func (j *juror) changed(name string) bool {
	e := j.all[name]
	was := e.answers[0]
	now, err := j.again(name, nil)
	if err != nil || len(now) != len(was) {
		return true
	}
	if !j.sides.stateful {
		if e.now == nil {
			e.now, _ = j.again(name, InTurn)
		}
		n := min(len(e.now), len(e.side.inTurn))
		was, now = slices.Concat(was, e.side.inTurn[:n]), slices.Concat(now, e.now[:n])
	}
	for k := range now {
		before := &was[k]
		if j.open(before.Index) {
			continue
		}
		for _, d := range bodyDifferences(before.Response, now[k].Response) {
			if !e.side.varies[before.Index].excuses(&d) && !j.elsewhere(name, before.Index, &d) {
				return true
			}
		}
	}
	return false
}
