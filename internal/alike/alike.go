// Package alike sends the same requests to several servers and finds differences between their
// responses: before the load, and in answers sampled under load. It sends each request several
// times, to distinguish values that vary between responses from every server, such as times or ids,
// from differences between servers.
package alike

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Sides are servers that should send the same responses.
type Sides struct {
	Allowed Allowed
	// Fixed says that no --differ can allow more.
	Fixed bool
	// Apart is the time between the two requests to a server.
	Apart time.Duration

	all      []*side
	found    record.Alike
	stateful bool // the responses to a request may depend on the requests before it
}

// Second is a value of Apart that reveals clocks with a resolution of one second.
const Second = 1100 * time.Millisecond

// side is a server with its responses: answers has an element for each time that all requests were
// sent.
type side struct {
	name     string
	scenario *scenario.Scenario
	answers  [][]scenario.Answer
	inTurn   []scenario.Answer // the later answers to Scenario.InTurn
	varies   map[int]*variance // variations, by request index
}

// Ask sends each request twice, with a pause of Apart, and then again: up to mostTimes times, while
// the side gets no more than mostAsked requests. Repetition keeps a varying value from passing for
// a constant by chance.
const (
	mostTimes = 20
	mostAsked = 300
)

// Ask sends the requests in sc to a server several times: the same requests as to the others, at
// the server's own paths. send sends them once (Scenario.Answers). Ask returns an error if the
// server does not respond. If the server has moved to another network, Ask repeats this, and
// returns an error if the server responds differently there.
func (s *Sides) Ask(ctx context.Context, name string, sc *scenario.Scenario,
	send func() ([]scenario.Answer, error)) error {
	one := &side{name: name, scenario: sc}
	for n := 0; n < 2 || n < mostTimes && (n+1)*len(one.answers[0]) <= mostAsked; n++ {
		if n == 1 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(s.Apart):
			}
		}
		answers, err := send()
		if err != nil {
			return err
		}
		one.answers = append(one.answers, answers)
	}
	one.learn()
	at := slices.IndexFunc(s.all, func(o *side) bool { return o.name == name })
	if at < 0 {
		s.all = append(s.all, one)
		return nil
	}
	before := s.all[at]
	s.all[at] = one
	if d := firstDifference(before, one, func(*difference) bool { return false }); d != nil {
		return fmt.Errorf("it responds to %s differently in the network of this machine and in a network namespace of "+
			"its own, where the network is cut and no program but services can be reached: %s: here %s; there %s; "+
			"give each side a port of its own, so that none needs a namespace", d.SentA, d.where(), d.SaysA, d.SaysB)
	}
	return nil
}

// Fresh records a side's answers to Scenario.InTurn, after Ask. If a request that may change state
// is answered differently when it is drawn again, the answer depends on state, and counts as
// varying.
func (s *Sides) Fresh(name string, inTurn []scenario.Answer) {
	one, first := s.named(name), map[string]*scenario.Answer{}
	one.inTurn = inTurn
	var marks []scenario.Mark
	for k := range inTurn {
		marks = append(marks, inTurn[k].Mark)
	}
	if len(marks) == 0 {
		return
	}
	for k, sent := range one.scenario.Drawn(marks...) {
		a := &inTurn[k]
		sent = fmt.Sprint(a.Index, " ", sent)
		switch v := one.varies[a.Index]; {
		case v == nil || one.scenario.Requests[a.Index].Safe():
		case first[sent] == nil:
			first[sent] = a
		default:
			v.add(bodyDifferences(first[sent].Response, a.Response), a.Drawn)
		}
	}
}

// InTurn returns how many requests of Scenario.InTurn each side has answered that Fresh has recorded; 0
// before any.
func (s *Sides) InTurn() (n int) {
	for _, one := range s.all {
		if m := len(one.inTurn); m > 0 && (n == 0 || m < n) {
			n = m
		}
	}
	return n
}

// Anew records the answers to Ask's requests from freshly restarted sides. A part that differs from
// the previous start, although it is constant within each start of every side, counts as varying
// from start to start.
func (s *Sides) Anew(answers map[string][]scenario.Answer) {
	learn := []func(){}
	for name, all := range answers {
		one := s.named(name)
		for k := range min(len(all), len(one.answers[0])) {
			first := &one.answers[0][k]
			only := slices.DeleteFunc(differences(first.Response, all[k].Response), func(d difference) bool {
				return slices.ContainsFunc(s.all, func(o *side) bool { return o.varies[first.Index].excuses(&d) })
			})
			learn = append(learn, func() { one.varies[first.Index].add(only, first.Drawn) })
		}
	}
	for _, f := range learn {
		f()
	}
}

// Bytes returns the mean length of a side's answers to Scenario.InTurn: bodies alone, or with their
// header sections; 0 if there are no answers.
func (s *Sides) Bytes(name string, bodies bool) int {
	all, n := s.named(name).inTurn, 0
	for k := range all {
		if n += len(all[k].Response.Body); !bodies {
			n += all[k].Response.HeadBytes
		}
	}
	return n / max(1, len(all))
}

// Times returns how often Ask has sent its requests to a side.
func (s *Sides) Times(name string) int { return len(s.named(name).answers) }

// named returns the side with that name, or one without answers.
func (s *Sides) named(name string) *side {
	for _, one := range s.all {
		if one.name == name {
			return one
		}
	}
	return &side{}
}

// Agree compares all servers' responses. It returns base with their common properties, and a
// summary. If responses differ, the error joins each side's first *Difference from the first side.
func (s *Sides) Agree(base *scenario.Scenario) (contract *scenario.Scenario, found *record.Alike, err error) {
	s.found = record.Alike{}
	if len(s.all) == 0 {
		return base, &s.found, nil
	}
	for _, a := range s.all[0].answers[0] {
		s.found.Sent = append(s.found.Sent, a.Sent)
	}
	for _, one := range s.all {
		s.tell(one)
	}
	var all []error
	for _, one := range s.all[1:] {
		if d := firstDifference(s.all[0], one, func(d *difference) bool { return s.excused(d, s.all[0], one) }); d != nil {
			if s.Fixed {
				d.ExcusedBy = ""
			}
			all = append(all, d)
		}
	}
	if err := errors.Join(all...); err != nil {
		return nil, nil, err
	}
	if err := s.accepted(); err != nil {
		return nil, nil, err
	}
	for i, one := range s.all[1:] {
		if n := inTurn(len(s.all), s.all[0].inTurn, one.inTurn); i == 0 || n < s.found.InTurn {
			s.found.InTurn = n
		}
	}
	contract = s.contract(base)
	return contract, &s.found, nil
}

// accepted returns an error if a response has a status that is not allowed.
func (s *Sides) accepted() error {
	for _, one := range s.all {
		for _, a := range one.answers[0] {
			e, got := &one.scenario.Requests[a.Index].Expect, a.Response.Status
			if got != e.Status && !e.Statuses.Has(got) {
				return fmt.Errorf("%s responds to %s with status %d; check the request, or pass --expect-status %d "+
					"to measure this response", one.name, a.Sent, got, got)
			}
		}
	}
	return nil
}

// variance describes the variation between one side's responses to the same request.
type variance struct {
	places [inType + 1]Places // places in the body, by aspect
	header map[string]bool    // varying headers, by name
	seen   map[[2]string]bool // names of differences, and places
}

func newVariance() *variance { return &variance{header: map[string]bool{}, seen: map[[2]string]bool{}} }

// learn finds the variation between a side's responses.
func (one *side) learn() {
	one.varies = map[int]*variance{}
	for k, first := range one.answers[0] {
		v := one.varies[first.Index]
		if v == nil {
			v = newVariance()
			one.varies[first.Index] = v
		}
		for _, again := range one.answers[1:] {
			a, b := first.Response, again[k].Response
			v.add(slices.Concat(differences(a, b), headDifferences(a, b, toHead(&first)),
				headDifferences(b, a, toHead(&first))), first.Drawn)
		}
	}
}

// add records differences between two responses from the same side. If the request is drawn, other
// draws may have texts of different lengths: a word is then located from either end.
func (v *variance) add(all []difference, drawn bool) {
	for _, d := range all {
		where := ""
		switch {
		case d.at != nil:
			where = d.at.anywhere().String()
			at, places := d.at.anywhere(), &v.places[d.of]
			if places.cover(d.at) {
				break
			}
			if w, ok := at.(wordsAt); ok && drawn && w.single {
				front, back := w, w
				front.after, back.before = -1, -1
				*places = append(*places, front, back)
				break
			}
			*places = append(*places, at)
		case d.what == rewritten:
		default:
			v.header[d.what] = true
		}
		v.seen[[2]string{d.name(), where}] = true
	}
}

// tell records what varies in a side's responses, and whether one lacks a Date.
func (s *Sides) tell(one *side) {
	for _, a := range one.answers[0] {
		for what := range one.varies[a.Index].seen {
			text := what[0] + " of " + one.name
			if what[1] != "" {
				text += " at " + what[1]
			}
			if !slices.Contains(s.found.Varies, text) {
				s.found.Varies = append(s.found.Varies, text)
			}
		}
		if _, dated := a.Response.Get("date"); !dated && !slices.Contains(s.found.Dateless, one.name) {
			s.found.Dateless = append(s.found.Dateless, one.name)
		}
	}
	slices.Sort(s.found.Varies)
}

// Difference is a difference between the responses of two sides.
type Difference struct {
	SentA      string // the request, as sent to A
	SentB      string // the same request, at B's own path
	A, B       string // names of the two sides
	What       string // the differing part, in --differ's terms: status, type, body, header:NAME
	Place      string // position within the body; "": the whole
	SaysA      string
	SaysB      string
	ExcusedBy  string // the --differ value that accepts it
	otherWords string
}

func (d *Difference) Error() string {
	width := max(len(d.A), len(d.B))
	who := fmt.Sprintf("%s and %s respond to %s", d.A, d.B, d.SentA)
	if d.SentB != d.SentA {
		who = fmt.Sprintf("%s to %s and %s to %s respond", d.A, d.SentA, d.B, d.SentB)
	}
	or := "accept the difference with --differ " + d.ExcusedBy + d.otherWords
	if d.ExcusedBy == "" {
		or = "say in the scenario which body is right"
	}
	return fmt.Sprintf("%s differently: %s\n"+
		"  %-*s  %s\n"+
		"  %-*s  %s\n"+
		"make the responses equal, or %s", who, d.where(), width, d.A, d.SaysA, width, d.B, d.SaysB, or)
}

// where returns the differing part and its place.
func (d *Difference) where() string {
	if d.Place == "" {
		return d.What
	}
	return d.What + " at " + d.Place
}

// firstDifference returns the first difference between two sides that neither their variances nor
// excused accepts. Variation on one side alone is a difference.
func firstDifference(a, b *side, excused func(*difference) bool) *Difference {
	for k := range a.answers[0] {
		index := a.answers[0][k].Index
		for n := range max(len(a.answers), len(b.answers)) {
			x, y := &a.answers[min(n, len(a.answers)-1)][k], &b.answers[min(n, len(b.answers)-1)][k]
			for _, pair := range [][2]*scenario.Answer{{x, y}, {x, &b.answers[0][k]}, {&a.answers[0][k], y}} {
				for _, d := range differences(pair[0].Response, pair[1].Response) {
					if !unlike(&d, a.varies[index], b.varies[index]) || excused(&d) {
						continue
					}
					return newDifference(a, b, pair[0].Sent, pair[1].Sent, &d)
				}
			}
		}
	}
	return nil
}

// unlike reports whether d is a difference between two sides with these variances. It marks a value
// that varies on one side only.
func unlike(d *difference, a, b *variance) bool {
	inA, inB := a.excuses(d), b.excuses(d)
	if inA && !inB {
		d.a, d.b = d.a+" (varies)", d.b+" (constant)"
	} else if inB && !inA {
		d.a, d.b = d.a+" (constant)", d.b+" (varies)"
	}
	return !inA || !inB
}

func newDifference(a, b *side, sentA, sentB string, d *difference) *Difference {
	out := &Difference{SentA: sentA, SentB: sentB, A: a.name, B: b.name, What: d.name(), SaysA: d.a,
		SaysB: d.b, ExcusedBy: d.what}
	if d.at != nil {
		out.Place = d.at.String()
	}
	at := d.at
	if w, ok := at.(wordsAt); ok && w.in != nil {
		at = w.in
	}
	if p, ok := at.(jsonPath); ok {
		out.ExcusedBy = "'json:" + p.anywhere().String() + "'"
		out.otherWords = ", or any difference in the body with --differ body"
	}
	return out
}

// excused reports whether a difference between two sides is accepted, and records it.
func (s *Sides) excused(d *difference, a, b *side) bool {
	if d.what == connection {
		s.excuse(fmt.Sprintf("the connection: %s of %s, %s of %s", d.a, a.name, d.b, b.name))
		return true
	}
	if d.what == rewritten {
		s.excuse(fmt.Sprintf("bodies of %s and %s differ in bytes, equal as JSON", a.name, b.name))
		return true
	}
	by := s.Allowed.excuses(d)
	if by == "" {
		return false
	}
	text := d.name()
	if d.at != nil && d.at.String() != "" {
		text += " at " + d.at.String()
	}
	s.excuse(fmt.Sprintf("%s of %s and %s (--differ %s)", text, a.name, b.name, by))
	return true
}

// excuse records an allowed difference, once.
func (s *Sides) excuse(text string) {
	if !slices.Contains(s.found.Excused, text) {
		s.found.Excused = append(s.found.Excused, text)
	}
}

// excuses reports whether d lies where the side varies. Only a varying type excuses another type,
// such as null in place of a number.
func (v *variance) excuses(d *difference) bool {
	switch d.what {
	case "body":
		return v.places[d.of].cover(d.at) || v.places[inType].cover(d.at)
	case rewritten:
		return false
	}
	return v.header[d.what]
}

// varied reports whether any response body for the request varies.
func (v *variance) varied() bool {
	return slices.ContainsFunc(v.places[:], func(p Places) bool { return len(p) > 0 })
}

// to yields a side's answers to the request at index.
func (one *side) to(index int) iter.Seq[*scenario.Answer] {
	return func(yield func(*scenario.Answer) bool) {
		for _, answers := range one.answers {
			for k := range answers {
				if a := &answers[k]; a.Index == index && !yield(a) {
					return
				}
			}
		}
	}
}

// to yields all sides' answers to the request at index.
func (s *Sides) to(index int) iter.Seq[*scenario.Answer] {
	return func(yield func(*scenario.Answer) bool) {
		for _, one := range s.all {
			for a := range one.to(index) {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// contract returns base with the responses' common properties: the status and, if all responses to
// a request had the same body, the body, else the shape of the bodies. Requirements in base itself
// are kept.
func (s *Sides) contract(base *scenario.Scenario) *scenario.Scenario {
	own := *base
	own.Requests = slices.Clone(base.Requests)
	s.stateful = base.Session != "" || base.Cookies
	for i := range own.Requests {
		r := &own.Requests[i]
		e := &r.Expect
		if s.all[0].varies[i] == nil { // never sent
			continue
		}
		s.found.Requests++
		var bodies [][]byte
		var first *wire.Response
		statuses, sameJSON, drawn := map[int]bool{}, true, false
		for a := range s.to(i) {
			if first == nil {
				first = a.Response
			}
			statuses[a.Response.Status] = true
			bodies = append(bodies, a.Response.Body)
			sameJSON = sameJSON && isJSON(first) && isJSON(a.Response) && len(bodyDifferences(first, a.Response)) == 0
			drawn = drawn || a.Drawn
			s.stateful = s.stateful || cookies(a.Response) != ""
		}
		for _, one := range s.all {
			for _, a := range one.inTurn {
				if a.Index == i && e.Statuses.Has(a.Response.Status) {
					statuses[a.Response.Status] = true
				}
			}
		}
		if len(statuses) == 1 {
			e.Status, e.Statuses = first.Status, scenario.StatusSet{}
		} else {
			s.found.Statuses++
		}
		s.stateful = s.stateful || !r.Safe()
		text := string(first.Body)
		switch {
		case r.Method == "HEAD": // no body
			s.found.Open++
		case e.Whole():
			s.found.Constant++
		case !slices.ContainsFunc(bodies, func(b []byte) bool { return string(b) != text }) && !s.varies(i):
			e.Body, e.Verbatim = &text, true
			s.found.Constant++
		case sameJSON && !drawn && !s.varies(i) && !s.rewords(i): // and each side repeats the bytes that Verify saw
			e.JSON = &text
			s.found.Constant++
		default:
			asJSON := true
			for a := range s.to(i) {
				_, coded := a.Response.Get("content-encoding")
				asJSON = asJSON && isJSON(a.Response) && !coded
			}
			e.Shape = scenario.NewShape(bodies, asJSON)
			s.requireType(i, e)
		}
	}
	s.found.Stateful = s.stateful && !(len(own.Requests) == 1 && s.all[0].answers[0][0].Drawn && !own.Requests[0].Safe() &&
		base.Session == "" && !base.Cookies)
	return &own
}

// requireType makes the Content-Type that all responses to a request had part of its contract.
func (s *Sides) requireType(index int, e *scenario.Expect) {
	want, same := "", true
	for a := range s.to(index) {
		text := value(a.Response, "content-type")
		want = cmp.Or(want, mediaType(a.Response))
		same = same && scenario.Header{Value: []byte(want)}.Match([]byte(text)) && text != ""
	}
	for name := range e.Headers {
		same = same && !strings.EqualFold(name, "content-type")
	}
	if same && !strings.ContainsAny(want, "{}") {
		e.Headers = maps.Clone(e.Headers)
		if e.Headers == nil {
			e.Headers = map[string]string{}
		}
		e.Headers["content-type"] = want
	}
}

// varies reports whether the body of the response to a request varies on any side.
func (s *Sides) varies(index int) bool {
	return slices.ContainsFunc(s.all, func(one *side) bool { return one.varies[index].varied() })
}

// rewords reports whether a side writes the same JSON in different bytes.
func (s *Sides) rewords(index int) bool {
	for _, one := range s.all {
		for k, first := range one.answers[0] {
			if first.Index == index && slices.ContainsFunc(one.answers, func(all []scenario.Answer) bool {
				return string(all[k].Response.Body) != string(first.Response.Body)
			}) {
				return true
			}
		}
	}
	return false
}
