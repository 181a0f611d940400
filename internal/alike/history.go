package alike

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/scenario"
)

// divergence counts differences at one place between answers to Scenario.InTurn: between two sides
// freshly started for this epoch, between the two sides freshly started before all epochs, and for
// each side between these two starts.
type divergence struct {
	now, before, ofA, ofB int
	first                 string // first difference in now
	agreed, all           int    // answers to this request: before first, and in all
	free                  bool   // need not be alike: header fields, and places that varied when a change was sent again
}

// Limits on comparing histories: the number of following sides that a side is compared with, and
// the total number of answer pairs and body bytes. That much JSON takes about a second.
const (
	mostOthers       = 2
	mostHistories    = 20_000
	mostHistoryBytes = 16 << 20
)

// inTurn returns how many answers to Scenario.InTurn are compared between two sides: all that both
// have, within these limits.
func inTurn(sides int, a, b []scenario.Answer) (n int) {
	pairs := sides * min(mostOthers, sides/2)
	if sides == 2 {
		pairs = 1
	}
	for size := 0; n < min(len(a), len(b), mostHistories/pairs) && size <= mostHistoryBytes/pairs; n++ {
		size += len(a[n].Response.Body) + len(b[n].Response.Body)
	}
	return n
}

// histories compares how freshly started sides answered the same requests in the same order. State
// then depends on these requests alone, and so do the answers, except for parts that each side
// changes from one start to the next, such as ids and times. A side is wrong if it answers
// differently from most others. If one side alone changes something from one start to the next, it
// is wrong unless it differed as often before (Fisher's exact test).
func (j *juror) histories() {
	against, why := map[string]int{}, map[string]string{}
	blame := func(name, text string) { against[name], why[name] = against[name]+1, text }
	others := min(mostOthers, len(j.names)/2) // each side is compared with this many sides after it, and before it
	for i, name := range j.names {
		for k := range others {
			if i == 1 && len(j.names) == 2 {
				break // the pair is done
			}
			other := j.names[(i+1+k)%len(j.names)]
			a, b := j.all[name], j.all[other]
			n := min(len(a.side.inTurn), len(b.side.inTurn), inTurn(len(j.names), a.inTurn, b.inTurn))
			all := j.compareHistories(a, b, n)
			for _, at := range slices.Sorted(maps.Keys(all)) {
				c := all[at]
				more := c.now > 0 && byLot(c.now, n, c.before, n) < byChance
				diverged := !c.free || c.agreed >= fewestEarly && 2*c.now > c.all-c.agreed
				switch {
				case c.now > 0 && c.ofA == 0 && c.ofB == 0 && diverged:
					blame(name, c.first+"; nothing tells which is right")
					blame(other, c.first+"; nothing tells which is right")
				case more && c.ofA == 0:
					blame(other, c.first+"; before, it answered alike")
				case more && c.ofB == 0:
					blame(name, c.first+"; before, it answered alike")
				default:
					continue
				}
				break
			}
		}
	}
	for name, n := range against {
		if n > others*min(2, len(j.names)-1)/2 {
			j.blame(name, errors.New(why[name]))
		}
	}
}

// compareHistories counts the differences by place in the first n answers, until no place can tell
// which side is wrong.
func (j *juror) compareHistories(a, b *evidence, n int) map[string]*divergence {
	all, sent, times := map[string]*divergence{}, map[int]int{}, map[int]int{}
	for k := range n {
		times[a.inTurn[k].Index]++
	}
	each := func(x, y *scenario.Answer, note func(c *divergence, d *difference)) {
		body := differences(x.Response, y.Response)
		for i, d := range slices.Concat(body, j.otherFields(x, y)) {
			if d.what == connection || d.what == rewritten || j.sides.Allowed.excuses(&d) != "" {
				continue
			}
			free := i >= len(body) ||
				!j.contract.Requests[x.Index].Safe() && (a.side.varies[x.Index].excuses(&d) || b.side.varies[x.Index].excuses(&d))
			at := fmt.Sprint(x.Index, " ", d.what, " ", d.of, " ", free)
			if d.at != nil {
				at += " " + d.at.anywhere().String()
			}
			if all[at] == nil {
				all[at] = &divergence{free: free, all: times[x.Index]}
			}
			note(all[at], &d)
		}
	}
	for k := range n {
		x, y := &a.inTurn[k], &b.inTurn[k]
		sent[x.Index]++
		each(x, y, func(c *divergence, d *difference) {
			if c.now++; c.now == 1 {
				c.agreed = sent[x.Index] - 1
				c.first = fmt.Sprintf("freshly started, %s and %s answered request %d of the same sequence, %s, differently: "+
					"%s: %s; %s", a.name, b.name, k+1, x.Sent, newDifference(a.side, b.side, "", "", d).where(), d.a, d.b)
			}
		})
	}
	open := func(c *divergence) bool { return c.now > 0 && (c.ofA == 0 || c.ofB == 0) }
	for k := 0; k < n && slices.ContainsFunc(slices.Collect(maps.Values(all)), open); k++ {
		each(&a.side.inTurn[k], &b.side.inTurn[k], func(c *divergence, _ *difference) { c.before++ })
		each(&a.side.inTurn[k], &a.inTurn[k], func(c *divergence, _ *difference) { c.ofA++ })
		each(&b.side.inTurn[k], &b.inTurn[k], func(c *divergence, _ *difference) { c.ofB++ })
	}
	return all
}

// otherFields returns the differences between two answers in lasting header fields that differences
// does not compare.
func (j *juror) otherFields(x, y *scenario.Answer) (all []difference) {
	vs, ws := values{}, values{}
	j.addFields(vs, x.Response.Fields, toHead(x))
	j.addFields(ws, y.Response.Fields, toHead(y))
	for at := range maps.Keys(vs) {
		ws[at] += "" // present, if only on one side
	}
	for _, at := range slices.Sorted(maps.Keys(ws)) {
		name := strings.TrimPrefix(at, "header ")
		if vs[at] != ws[at] && !slices.Contains(compared, name) && !strings.HasPrefix(name, "set-cookie") &&
			name != "content-type" {
			all = append(all, difference{what: "header:" + name,
				a: cmp.Or(shown(vs[at]), "none"), b: cmp.Or(shown(ws[at]), "none")})
		}
	}
	return all
}
