package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// slot is one load in a round: a cell, and its level with the values from the plan.
type slot struct {
	record.Cell
	level record.Level
}

// leastExtra is the default number of epochs that load a cell outside the family. With fewer, a
// median has no interval at 95 %.
const leastExtra = 6

// comparedAt reports whether contestants are compared at a level, and therefore loaded there in
// every round: where a comparison in the plan has a cell, and everywhere in a plan without
// comparisons. With fresh processes, a comparison counts for all levels that its processes are
// loaded at.
func comparedAt(p *record.Plan, level int, contestant string) bool {
	if !p.InRounds() || len(p.Family) == 0 {
		return true
	}
	part := []int{level}
	if p.Fresh() {
		part = slices.Concat(slices.DeleteFunc(parts(p), func(l []int) bool { return !slices.Contains(l, level) })...)
	}
	is := func(o record.Cell) bool {
		return (contestant == "" || contestant == o.Contestant) && slices.Contains(part, o.Level)
	}
	return slices.ContainsFunc(p.Family, func(f record.Comparison) bool { return is(f.A) || is(f.B) })
}

// compared reports whether a cell is loaded in every round, because it is compared. Controls, which are not
// contestants, have cells only where contestants are compared.
func compared(p *record.Plan, c record.Cell) bool {
	return !slices.Contains(p.Contestants, c.Contestant) || comparedAt(p, c.Level, c.Contestant)
}

// Loaded returns the contestants and controls that the plan loads at a level, and whether any of
// their cells is compared.
func Loaded(p *record.Plan, level int) (names []string, isCompared bool) {
	for _, name := range p.Contestants {
		if c := (record.Cell{Contestant: name, Level: level}); p.Has(c) {
			names = append(names, name)
			isCompared = isCompared || compared(p, c)
		}
	}
	if isCompared {
		for _, name := range p.Controls {
			if p.Has(record.Cell{Contestant: name, Level: level}) {
				names = append(names, name)
			}
		}
	}
	return names, isCompared
}

// Ride adds cells for the controls, at levels where contestants are compared, and for the server
// that shows the ceiling, at closed loops where it answers and contestants are compared.
// Uncontrolled levels get neither. A source is loaded at all these closed loops; at the others,
// once for all levels that are alike to it.
func Ride(p *record.Plan, uncontrolled []int, answers func(Asking) bool) {
	for i, l := range p.Levels {
		controlled := comparedAt(p, i, "") && !slices.Contains(uncontrolled, i)
		if controlled {
			for _, name := range p.Controls {
				p.Cells = append(p.Cells, record.Cell{Contestant: name, Level: i})
			}
		}
		alike := func(o record.Level) bool { return o.AtSource() == l.AtSource() }
		switch {
		case p.Ceiling == "" || l.Open() || l.AsPublished: // there the generator's CPUs are the servers'
			continue
		case p.Ceiling == p.Source() && !controlled && slices.ContainsFunc(p.Levels[:i], alike):
			continue
		case p.Ceiling != p.Source() && !(controlled && answers(AskingAt(l))):
			continue
		}
		p.Cells = append(p.Cells, record.Cell{Contestant: p.Ceiling, Level: i})
	}
}

// parts groups the level indices by what the contestants receive at launch. An epoch starts the
// processes once, and loads the levels in one part. With fresh processes, each level without a
// step begins a new part.
func parts(p *record.Plan) [][]int {
	var out [][]int
	at := map[record.LaunchPart]int{}
	for i, l := range p.Levels {
		k, seen := at[l.Launch()]
		if p.Fresh() {
			k, seen = len(out)-1, l.Step > 0 && len(out) > 0
		}
		if !seen {
			k = len(out)
			at[l.Launch()] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// partAt returns the index of the part that an epoch loads. The pilots take the parts that they
// load in turn. After them all parts take turns. Once the cells outside the family have been
// loaded often enough, only the parts with comparisons remain.
func partAt(p *record.Plan, epoch int) int {
	if len(p.Levels) < 2 {
		return 0
	}
	if epoch < p.Pilots {
		list := partsWith(p, true)
		return list[epoch%len(list)]
	}
	e, all := epoch-p.Pilots, len(parts(p))
	if list := partsWith(p, false); e >= extraEpochs(p)*all && len(list) > 0 {
		return list[(e-extraEpochs(p)*all)%len(list)]
	}
	return e % all
}

// partsWith returns the parts that the pilots load, or else the parts that have comparisons.
func partsWith(p *record.Plan, pilot bool) (list []int) {
	for i, part := range parts(p) {
		if anyOf(p, part, pilot) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return []int{0}
	}
	return list
}

// Turn returns the number of turns that the parts had before an epoch. Pilots are not counted.
func Turn(p *record.Plan, epoch int) int {
	e, all := epoch-p.Pilots, len(parts(p))
	if side := extraEpochs(p) * all; e >= side {
		return extraEpochs(p) + (e-side)/len(partsWith(p, false))
	}
	return e / all
}

// epochsUntil returns the number of epochs after the pilots until each part with comparisons has
// had n.
func epochsUntil(p *record.Plan, n int) int {
	if !p.InRounds() {
		return n * len(parts(p))
	}
	comparing := len(partsWith(p, false))
	return n*comparing + min(n, extraEpochs(p))*(len(parts(p))-comparing)
}

// roundsIn returns the number of rounds in an epoch. It is one if the epoch loads only cells
// outside the family.
func roundsIn(p *record.Plan, epoch int) int {
	if pilot := epoch < p.Pilots; len(p.Levels) > 1 && !anyOf(p, parts(p)[partAt(p, epoch)], pilot) {
		return 1
	}
	return p.Rounds
}

// slots returns the loads that every round in an epoch has: the compared cells in its part, with
// the controls. A plan that does not compare in rounds loads all its cells.
func slots(p *record.Plan, epoch int) []slot { return cellsIn(p, epoch, false) }

// cellsOf yields the cells in a part that every round loads, or those that an epoch loads once.
// The pilots have none of the latter. has reports whether the plan has a cell.
func cellsOf(p *record.Plan, part []int, pilot, once bool, has func(record.Cell) bool) iter.Seq[slot] {
	return func(yield func(slot) bool) {
		for _, name := range participants(p, pilot) {
			for _, level := range part {
				c := record.Cell{Contestant: name, Level: level}
				if compared(p, c) == once || pilot && once {
					continue
				}
				if has(c) && !yield(slot{Cell: c, level: p.Levels[level]}) {
					return
				}
			}
		}
	}
}

// anyOf reports whether every round loads any cell in a part.
func anyOf(p *record.Plan, part []int, pilot bool) bool {
	for range cellsOf(p, part, pilot, false, p.Has) {
		return true
	}
	return false
}

// cellsIn returns all that cellsOf yields in an epoch: with once, the cells that no comparison names. The epoch may
// load these in addition, in its first round only.
func cellsIn(p *record.Plan, epoch int, once bool) []slot {
	has := make(map[record.Cell]bool, len(p.Cells))
	for _, c := range p.Cells {
		has[c] = true
	}
	return slices.Collect(cellsOf(p, parts(p)[partAt(p, epoch)], epoch < p.Pilots, once,
		func(c record.Cell) bool { return has[c] }))
}

// AtCeiling reports whether the server that shows the ceiling is loaded with these requests at
// any level.
func AtCeiling(p *record.Plan, of Asking) bool {
	for i, l := range p.Levels {
		if AskingAt(l) == of && p.Has(record.Cell{Contestant: p.Ceiling, Level: i}) {
			return true
		}
	}
	return false
}

// extras returns the cells outside the family that an epoch loads. After the pilots, each part
// loads its own in as many turns as the plan wants at their levels. If every turn has comparisons,
// later turns replace those in which the extras were interrupted or disturbed.
func extras(run *record.Run, epoch int) []slot { return extrasOf(run)(epoch) }

// extrasOf returns extras for epochs in ascending order. It examines each recorded epoch only
// once.
func extrasOf(run *record.Run) func(epoch int) []slot {
	p, next, lost := &run.Plan, run.Plan.Pilots, map[int]int{} // turns by part
	return func(epoch int) []slot {
		list := cellsIn(p, epoch, true)
		if len(list) == 0 {
			return nil
		}
		for ; next < min(epoch, lastEpoch(run)+1); next++ {
			if extrasLost(run, next) {
				lost[partAt(p, next)]++
			}
		}
		part, n := partAt(p, epoch), Turn(p, epoch)
		if anyOf(p, parts(p)[part], false) {
			n -= lost[part]
		}
		return slices.DeleteFunc(list, func(e slot) bool { return n >= extraEpochsAt(p, e.Level) })
	}
}

// extraEpochsAt returns the number of epochs in which the cells outside the family are loaded at a
// level.
func extraEpochsAt(p *record.Plan, level int) int {
	if level < len(p.ExtraEpochs) {
		return p.ExtraEpochs[level]
	}
	return leastExtra
}

// extraEpochs returns the largest extraEpochsAt at any level.
func extraEpochs(p *record.Plan) (most int) {
	for level := range p.Levels {
		most = max(most, extraEpochsAt(p, level))
	}
	return most
}

// extrasLost reports whether an epoch was interrupted, or a trial in its first round does not
// count.
func extrasLost(run *record.Run, epoch int) bool {
	all := lastAttempt(run, epoch, 0)
	return len(standing(all)) < len(all) ||
		slices.ContainsFunc(run.Resumes, func(r record.Resume) bool { return r.Epoch == epoch+1 })
}

// Asking identifies the requests to a contestant at a level: the scenario ("" for the plan's
// own), the number of records in the service's responses, and the HTTP version.
type Asking struct {
	Scenario string
	Records  int
	HTTP     wire.HTTP
}

// AskingAt returns the requests at a level.
func AskingAt(l record.Level) Asking { return Asking{l.Scenario, l.Records, l.HTTP} }

func (a Asking) String() string {
	var parts []string
	if a.Scenario != "" {
		parts = append(parts, "scenario "+a.Scenario)
	}
	if a.Records > 0 {
		parts = append(parts, fmt.Sprintf("%d records", a.Records))
	}
	if a.HTTP != wire.Clear {
		parts = append(parts, a.HTTP.Words())
	}
	return strings.Join(parts, ", ")
}

// Label returns the name under which a request is shown if there are several Askings.
func (a Asking) Label(request string) string {
	if a.HTTP != wire.Clear {
		request = a.HTTP.String() + " " + request
	}
	return strings.TrimSpace(a.Scenario + " " + request)
}

// Asked returns all combinations of scenario, records and HTTP version with which a contestant
// is loaded, ordered by level. Controls serve every scenario; the ceiling's server serves only
// requests for which AtCeiling is true.
func Asked(p *record.Plan, name string) []Asking {
	var out []Asking
	for i, l := range p.Levels {
		c, of := record.Cell{Contestant: name, Level: i}, AskingAt(l)
		ceiling := name == p.Ceiling && name != p.Source() && !slices.Contains(p.Contestants, name)
		if (p.Has(c) || !slices.Contains(p.Contestants, name)) && !slices.Contains(out, of) &&
			!(ceiling && !AtCeiling(p, of)) {
			out = append(out, of)
		}
	}
	return out
}

// AskedIn returns the Asked combinations with which a contestant is loaded in an epoch.
func AskedIn(run *record.Run, epoch int, name string) []Asking {
	entering := append(slots(&run.Plan, epoch), extras(run, epoch)...)
	return slices.DeleteFunc(Asked(&run.Plan, name), func(a Asking) bool {
		return !slices.ContainsFunc(entering, func(e slot) bool {
			return e.Contestant == name && AskingAt(e.level) == a
		})
	})
}

// RecordsSeed returns the seed for the service's records in an epoch. All contestants get the
// same records throughout the epoch.
func RecordsSeed(p *record.Plan, epoch int) uint64 {
	return mix(record.Key{Seed: p.Seed, Epoch: epoch}, 4)
}
