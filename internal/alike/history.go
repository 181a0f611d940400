package alike

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"dyno/internal/scenario"
)

// told counts differences at one place between answers to Scenario.InTurn: between two sides, freshly started for
// this epoch and before all, and of each side between these two starts.
type told struct {
	now, before, ofA, ofB int
	first                 string // of now
}

// histories compares what freshly started sides answered to the same requests in the same order. State is then a
// matter of these requests alone, and so are the answers, except for what each side answers otherwise from one start
// to the next, such as ids and times. A side is wrong if it answers otherwise than most others. What one side alone
// changes from one start to the next is wrong if it did not differ so often before (Fisher's exact test).
func (j *judge) histories() {
	against, why := map[string]int{}, map[string]string{}
	blame := func(name, text string) { against[name], why[name] = against[name]+1, text }
	for i, name := range j.names {
		for _, other := range j.names[i+1:] {
			a, b := j.all[name], j.all[other]
			all, n := j.compareHistories(a, b), min(len(a.inTurn), len(b.inTurn), len(a.side.inTurn), len(b.side.inTurn))
			for _, at := range slices.Sorted(maps.Keys(all)) {
				c := all[at]
				more := c.now > 0 && byLot(c.now, n, c.before, n) < byChance
				switch {
				case c.now > 0 && c.ofA == 0 && c.ofB == 0:
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
		if n*2 > len(j.names)-1 {
			j.blame(name, errors.New(why[name]))
		}
	}
}

// compareHistories counts the differences by place, except those in what the answers to a request that may change
// state varied in when it was sent several times.
func (j *judge) compareHistories(a, b *evidence) map[string]*told {
	all := map[string]*told{}
	each := func(x, y *scenario.Answer, note func(c *told, d *difference)) {
		for _, d := range differences(x.Response, y.Response) {
			if d.what == connection || d.what == rewritten || j.sides.Allowed.excuses(&d) != "" ||
				!j.contract.Requests[x.Index].Safe() && (a.side.varies[x.Index].excuses(&d) || b.side.varies[x.Index].excuses(&d)) {
				continue
			}
			at := fmt.Sprint(x.Index, " ", d.what, " ", d.of)
			if d.at != nil {
				at += " " + d.at.anywhere().String()
			}
			if all[at] == nil {
				all[at] = &told{}
			}
			note(all[at], &d)
		}
	}
	for k := range min(len(a.inTurn), len(b.inTurn), len(a.side.inTurn), len(b.side.inTurn)) {
		x, y := &a.inTurn[k], &b.inTurn[k]
		each(x, y, func(c *told, d *difference) {
			if c.now++; c.now == 1 {
				c.first = fmt.Sprintf("freshly started, %s and %s answered request %d of the same sequence, %s, differently: "+
					"%s: %s; %s", a.name, b.name, k+1, x.Sent, newDifference(a.side, b.side, "", "", d).where(), d.a, d.b)
			}
		})
		each(&a.side.inTurn[k], &b.side.inTurn[k], func(c *told, _ *difference) { c.before++ })
		each(&a.side.inTurn[k], x, func(c *told, _ *difference) { c.ofA++ })
		each(&b.side.inTurn[k], y, func(c *told, _ *difference) { c.ofB++ })
	}
	return all
}
