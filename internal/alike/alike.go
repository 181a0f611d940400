// Package alike sends the same requests to several servers and finds differences between their
// responses. It sends each request twice, to distinguish values that vary between responses of one
// server, such as times or ids, from differences between servers.
package alike

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno/internal/http1"
	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/secret"
)

// Sides are servers that should send the same responses.
type Sides struct {
	Allowed Allowed
	// Apart is the time between the two requests to a server.
	Apart time.Duration

	all    []*side
	varies map[int]*variance // by the index of the request
	found  result.Alike
}

// Second is a value of Apart that reveals clocks with a resolution of one second.
const Second = 1100 * time.Millisecond

// side is a server with its first and second responses.
type side struct {
	name     string
	scenario *scenario.Scenario
	answers  [2][]scenario.Answer
}

// Ask sends the requests of sc to a server twice: the same requests as to the others, at the
// server's own paths. send sends them once (Scenario.Answers). It returns an error if the server does
// not respond. A server that is asked again is asked anew.
func (s *Sides) Ask(ctx context.Context, name string, sc *scenario.Scenario, send func() ([]scenario.Answer, error)) (
	err error) {
	one := &side{name: name, scenario: sc}
	for n := range one.answers {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(s.Apart):
			}
		}
		if one.answers[n], err = send(); err != nil {
			return err
		}
	}
	s.all = append(slices.DeleteFunc(s.all, func(o *side) bool { return o.name == name }), one)
	return nil
}

// Agree compares the responses of all servers. It returns base with their common properties, and a
// summary. If responses differ, its error joins the first *Difference of each side from the first
// side.
func (s *Sides) Agree(base *scenario.Scenario) (contract *scenario.Scenario, found *result.Alike, err error) {
	s.varies, s.found = map[int]*variance{}, result.Alike{}
	if len(s.all) == 0 {
		return base, &s.found, nil
	}
	for _, a := range s.all[0].answers[0] {
		s.found.Sent = append(s.found.Sent, secret.Mask(a.Sent))
	}
	for _, one := range s.all {
		s.own(one)
	}
	var all []error
	for _, one := range s.all[1:] {
		if d := s.difference(one); d != nil {
			all = append(all, d)
		}
	}
	if err := errors.Join(all...); err != nil {
		return nil, nil, err
	}
	if err := s.accepted(); err != nil {
		return nil, nil, err
	}
	contract, s.found.Checked = s.contract(base)
	return contract, &s.found, nil
}

// accepted returns an error if the status of a response is not allowed.
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

// variance describes, for all sides, what varies between two responses of a side to the same
// request.
type variance struct {
	places Places          // where values do
	comes  Places          // where something is present in only one of them
	whole  bool            // the body as a whole
	length bool            // of the body
	header map[string]bool // by name
}

// own records what varies between the two responses of a side.
func (s *Sides) own(one *side) {
	for k, first := range one.answers[0] {
		v := s.varies[first.Index]
		if v == nil {
			v = &variance{header: map[string]bool{}}
			s.varies[first.Index] = v
		}
		again := one.answers[1][k]
		for _, d := range differences(first.Response, again.Response) {
			switch {
			case d.what == "body" && d.at == nil:
				v.whole = true
			case d.what == "body" && d.has:
				v.comes = append(v.comes, d.at.anywhere())
			case d.what == "body":
				v.places = append(v.places, d.at.anywhere())
			case d.what == "length":
				v.length = true
			default:
				v.header[d.what] = true
			}
			text := fmt.Sprintf("%s of %s", d.name(), one.name)
			if d.at != nil {
				text += " at " + d.at.anywhere().String()
			}
			if !slices.Contains(s.found.Varies, text) {
				s.found.Varies = append(s.found.Varies, text)
			}
		}
	}
}

// Difference is a difference between the responses of two sides.
type Difference struct {
	SentA      string // the request
	SentB      string // the same, at B's own path
	A, B       string // the sides
	What       string // as --differ has it: status, type, length, body, header:NAME
	Place      string // within the body; "": the whole
	SaysA      string
	SaysB      string
	ExcusedBy  string // the value of --differ that accepts it
	otherWords string
}

func (d *Difference) Error() string {
	where := d.What
	if d.Place != "" {
		where += " at " + d.Place
	}
	width := max(len(d.A), len(d.B))
	who := fmt.Sprintf("%s and %s respond to %s", d.A, d.B, d.SentA)
	if d.SentB != d.SentA {
		who = fmt.Sprintf("%s to %s and %s to %s respond", d.A, d.SentA, d.B, d.SentB)
	}
	return fmt.Sprintf("%s differently: %s\n"+
		"  %-*s  %s\n"+
		"  %-*s  %s\n"+
		"make the responses equal, or accept the difference with --differ %s%s",
		who, where, width, d.A, d.SaysA, width, d.B, d.SaysB, d.ExcusedBy, d.otherWords)
}

// difference returns the first difference of a side from the first side. It ignores differences
// that are allowed, or that are at places where the responses of a single side vary.
func (s *Sides) difference(one *side) *Difference {
	first := s.all[0]
	for k, a := range first.answers[0] {
		v, b := s.varies[a.Index], one.answers[0][k]
		for _, d := range differences(a.Response, b.Response) {
			if v.excuses(&d) {
				continue
			}
			if d.what == connection {
				s.excuse(fmt.Sprintf("the connection: %s of %s, %s of %s", d.a, first.name, d.b, one.name))
				continue
			}
			if by := s.Allowed.excuses(&d); by != "" {
				text := d.name()
				if d.at != nil {
					text += " at " + d.at.String()
				}
				s.excuse(fmt.Sprintf("%s of %s and %s (--differ %s)", text, first.name, one.name, by))
				continue
			}
			out := &Difference{SentA: a.Sent, SentB: b.Sent, A: first.name, B: one.name, What: d.name(), SaysA: d.a,
				SaysB: d.b, ExcusedBy: d.what}
			if d.at != nil {
				out.Place = d.at.String()
			}
			if p, ok := d.at.(jsonPath); ok {
				out.ExcusedBy = "'json:" + p.anywhere().String() + "'"
				out.otherWords = ", or any difference in the body with --differ body"
			}
			return out
		}
	}
	return nil
}

// excuse records an allowed difference, once.
func (s *Sides) excuse(text string) {
	if !slices.Contains(s.found.Excused, text) {
		s.found.Excused = append(s.found.Excused, text)
	}
}

// excuses reports whether d is at a place where the responses of a single side vary. If only values
// vary there, a value that is missing on one side is still a difference.
func (v *variance) excuses(d *difference) bool {
	switch d.what {
	case "body":
		return v.whole || v.comes.cover(d.at) || !d.has && v.places.cover(d.at)
	case "length":
		return v.varied()
	}
	return v.header[d.what]
}

// varied reports whether the body of any response to the request varies.
func (v *variance) varied() bool { return v.whole || v.length || len(v.places) > 0 || len(v.comes) > 0 }

// responses calls yield with each response to the request at index, until it returns false.
func (s *Sides) responses(index int, yield func(a *scenario.Answer) bool) {
	for _, one := range s.all {
		for n := range one.answers {
			for k := range one.answers[n] {
				if a := &one.answers[n][k]; a.Index == index && !yield(a) {
					return
				}
			}
		}
	}
}

// contract returns base with the common properties of all responses: the status and, if all
// responses to a request had the same body, the body. Requirements of base itself are kept. checked
// describes what is checked under load.
func (s *Sides) contract(base *scenario.Scenario) (c *scenario.Scenario, checked string) {
	own := *base
	own.Lenient = true
	own.Requests = slices.Clone(base.Requests)
	bodies, loaded := 0, 0
	for i := range own.Requests {
		e := &own.Requests[i].Expect
		if s.varies[i] == nil { // never sent
			continue
		}
		loaded++
		var first *http1.Response
		statuses, sameBytes, sameJSON, drawn := map[int]bool{}, true, true, false
		s.responses(i, func(a *scenario.Answer) bool {
			if first == nil {
				first = a.Response
			}
			statuses[a.Response.Status] = true
			sameBytes = sameBytes && string(a.Response.Body) == string(first.Body)
			sameJSON = sameJSON && isJSON(first) && isJSON(a.Response) &&
				!slices.ContainsFunc(differences(first, a.Response),
					func(d difference) bool { return d.what == "body" })
			drawn = drawn || a.Drawn
			return true
		})
		if len(statuses) == 1 {
			e.Status, e.Statuses = first.Status, scenario.StatusSet{}
		}
		text := string(first.Body)
		switch {
		case e.Body != nil || e.JSON != nil || e.Length != nil || e.SHA256 != "" || own.Requests[i].Method == "HEAD":
			bodies++
		case s.varies[i].varied() || s.Allowed.body:
		case sameBytes:
			e.Body, e.Verbatim = &text, true
			bodies++
		case sameJSON && !drawn: // of each side the bytes that Verify sees
			e.JSON = &text
			bodies++
		}
	}
	switch {
	case bodies == loaded:
		return &own, "status and body of every response"
	case bodies > 0:
		return &own, fmt.Sprintf(
			"the status of every response, and the body of requests with a constant body (%d of %d requests)",
			bodies, loaded)
	}
	return &own, "the status of every response; bodies vary, and were compared only before the load"
}
