// Package alike asks servers the same requests and says where their answers differ. Each is asked
// twice, so that what varies from one answer of a server to its next, as a time or an id does, is
// told from what differs between servers.
package alike

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// Side is a server.
type Side struct {
	Name                string
	Network, Addr, Host string
	// Scenario is what it is asked: the same requests as the other sides, at paths of its own.
	Scenario *scenario.Scenario
}

// Seen is what the sides answered. The indices are those of sides, asks and answers.
type Seen struct {
	sides   []Side
	answers [][2][]scenario.Answer
	allowed Allowed
	varies  map[int]*variance // by the index of the request
	Varies  []string          // what varies between two answers of one side, for people
	Excused []string          // what differs between sides and is allowed to, for people
}

// Apart is the time between the two asks that shows a clock in seconds.
const Apart = 1100 * time.Millisecond

// Ask asks each side twice, with that time between. Its error says which side could not be asked, or
// that all answered with a status that the scenario does not accept.
func Ask(ctx context.Context, sides []Side, allowed Allowed, apart time.Duration) (*Seen, error) {
	s := &Seen{sides: sides, answers: make([][2][]scenario.Answer, len(sides)), allowed: allowed,
		varies: map[int]*variance{}}
	for n := range 2 {
		if n > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(apart):
			}
		}
		failed := make([]error, len(sides))
		var wg sync.WaitGroup
		for i, side := range sides {
			wg.Go(func() {
				s.answers[i][n], failed[i] = side.Scenario.Answers(ctx, side.Network, side.Addr, side.Host)
				if failed[i] != nil {
					failed[i] = fmt.Errorf("%s: %w", side.Name, failed[i])
				}
			})
		}
		wg.Wait()
		if err := errors.Join(failed...); err != nil {
			return nil, err
		}
		if err := s.accepted(n); err != nil {
			return nil, err
		}
	}
	for i := range sides {
		s.own(i)
	}
	return s, nil
}

// accepted refuses a status that no side may answer with, where all answer so. Where they differ, the
// difference says more.
func (s *Seen) accepted(ask int) error {
	for k, a := range s.answers[0][ask] {
		all := true
		for i := range s.sides {
			got := s.answers[i][ask][k].Response.Status
			e := &s.sides[i].Scenario.Requests[a.Index].Expect
			all = all && got != e.Status && !e.Statuses.Has(got)
		}
		if all {
			return fmt.Errorf("%s: every side answers with status %d: is the request right? If that is what is to be "+
				"measured, say --expect-status %d", a.Sent, a.Response.Status, a.Response.Status)
		}
	}
	return nil
}

// variance is what varies between two answers of one side to one request, of all sides.
type variance struct {
	places Places
	whole  bool            // the body as a whole
	length bool            // of the body
	header map[string]bool // by name
}

// own notes what varies between the two answers of side i.
func (s *Seen) own(i int) {
	for k, first := range s.answers[i][0] {
		v := s.varies[first.Index]
		if v == nil {
			v = &variance{header: map[string]bool{}}
			s.varies[first.Index] = v
		}
		again := s.answers[i][1][k]
		for _, d := range differences(first.Response, again.Response) {
			switch {
			case d.what == "body" && d.at == nil:
				v.whole = true
			case d.what == "body":
				v.places = append(v.places, d.at.anywhere())
			case d.what == "length":
				v.length = true
			default:
				v.header[d.what] = true
			}
			text := fmt.Sprintf("%s of %s", d.name(), s.sides[i].Name)
			if d.at != nil {
				text += " at " + d.at.anywhere().String()
			}
			if !slices.Contains(s.Varies, text) {
				s.Varies = append(s.Varies, text)
			}
		}
	}
}

// Difference is where two sides answer differently.
type Difference struct {
	Sent       string // the request
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
	return fmt.Sprintf("%s and %s answer %s differently: %s\n  %-*s  %s\n  %-*s  %s\n"+
		"make them alike, or accept it with --differ %s%s",
		d.A, d.B, d.Sent, where, width, d.A, d.SaysA, width, d.B, d.SaysB, d.ExcusedBy, d.otherWords)
}

// Differences returns the first difference of each side from the first side, those left out that are
// allowed, or lie where answers of one side vary.
func (s *Seen) Differences() []*Difference {
	var all []*Difference
	for i := 1; i < len(s.sides); i++ {
		if d := s.firstOf(i); d != nil {
			all = append(all, d)
		}
	}
	return all
}

func (s *Seen) firstOf(i int) *Difference {
	for k, a := range s.answers[0][0] {
		v, b := s.varies[a.Index], s.answers[i][0][k]
		for _, d := range differences(a.Response, b.Response) {
			if v.excuses(&d) {
				continue
			}
			if by := s.allowed.excuses(&d); by != "" {
				text := d.name()
				if d.at != nil {
					text += " at " + d.at.String()
				}
				text = fmt.Sprintf("%s of %s and %s (--differ %s)", text, s.sides[0].Name, s.sides[i].Name, by)
				if !slices.Contains(s.Excused, text) {
					s.Excused = append(s.Excused, text)
				}
				continue
			}
			out := &Difference{Sent: a.Sent, A: s.sides[0].Name, B: s.sides[i].Name, What: d.name(), SaysA: d.a,
				SaysB: d.b, ExcusedBy: d.what}
			if d.at != nil {
				out.Place = d.at.String()
			}
			if p, ok := d.at.(jsonPath); ok {
				out.ExcusedBy = "'json:" + p.anywhere().String() + "'"
				out.otherWords = ", or all of the body with --differ body"
			}
			return out
		}
	}
	return nil
}

// excuses reports whether d lies where the answers of one side vary.
func (v *variance) excuses(d *difference) bool {
	switch d.what {
	case "body":
		return v.whole || v.places.cover(d.at)
	case "length":
		return v.length || v.whole || len(v.places) > 0
	}
	return v.header[d.what]
}

// varied reports whether any answer to the request varies in its body.
func (v *variance) varied() bool { return v.whole || v.length || len(v.places) > 0 }

// responses calls yield with each answer to the request at index, until it returns false.
func (s *Seen) responses(index int, yield func(a *scenario.Answer) bool) {
	for i := range s.answers {
		for n := range s.answers[i] {
			for k := range s.answers[i][n] {
				if a := &s.answers[i][n][k]; a.Index == index && !yield(a) {
					return
				}
			}
		}
	}
}

// Contract returns base with what all answers had in common: their status and, where every answer to
// a request had the same body, the body. What base itself asks of a body stands. checked says what
// the load will be checked for.
func (s *Seen) Contract(base *scenario.Scenario) (c *scenario.Scenario, checked string) {
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
				!slices.ContainsFunc(differences(first, a.Response), func(d difference) bool { return d.what == "body" })
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
		case s.varies[i].varied() || s.allowed.body:
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
		return &own, "status and body of every answer"
	case bodies > 0:
		return &own, fmt.Sprintf("the status of every answer, and the body where it never varies (%d of %d requests)",
			bodies, loaded)
	}
	return &own, "the status of every answer; bodies vary, and are compared before the load only"
}
