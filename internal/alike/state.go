package alike

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno/internal/scenario"
)

// askAlone asks each side by itself after the load, with the same requests in the same order, and
// judges the answers.
func (j *juror) askAlone() {
	all := map[string][][]scenario.Answer{}
	for _, name := range j.names {
		answers, err := j.again(name, []scenario.Mark{})
		if err != nil || len(answers) == 0 {
			return
		}
		all[name] = make([][]scenario.Answer, answers[len(answers)-1].Part+1)
		for _, a := range answers {
			all[name][a.Part] = append(all[name][a.Part], a)
		}
	}
	j.stored(all)
	if !j.sides.Allowed.body {
		j.said(all)
	}
}

// stored fails each side on which no request changes the result of a read, though requests on the
// next side do. It spares a side that is full: its body is the longer one.
func (j *juror) stored(all map[string][][]scenario.Answer) {
	reads, codes, moved := map[string][][]scenario.Answer{}, map[string]string{}, map[string]bool{}
	for _, name := range j.names {
		parts := all[name]
		if len(parts) < 4 {
			return
		}
		r := [][]scenario.Answer{parts[0], parts[1], parts[len(parts)-1]}
		for _, a := range slices.Concat(r[0], r[1], parts[len(parts)-2], r[2]) {
			codes[name] += fmt.Sprintln(a.Response.Status)
		}
		reads[name] = r
		for k := range r[0] {
			moved[name] = moved[name] || len(bodyDifferences(r[0][k].Response, r[1][k].Response)) > 0 ||
				len(bodyDifferences(r[1][k].Response, r[2][k].Response)) > 0
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
				len(bodyDifferences(mine.Response, after)) == 0 || j.late(name, reads[name][2], bodiesDiffer) {
				continue
			}
			j.blame(name, fmt.Errorf("after the load it answered %s with %s both before requests that change state and after "+
				"them; %s answered %s, then %s", mine.Sent, shown(string(mine.Response.Body)), other,
				shown(string(before.Body)), shown(string(after.Body))))
			break
		}
	}
}

// sampled reports whether bodies were sampled.
func (j *juror) sampled() bool {
	return slices.ContainsFunc(j.names, func(name string) bool { return j.out[name].Answers > 0 })
}

// late reports whether reads now return something else, as differ says: the side stores with a
// delay.
func (j *juror) late(name string, was []scenario.Answer, differ func(was, now *scenario.Answer) bool) bool {
	time.Sleep(j.sides.Apart)
	now, err := j.again(name, []scenario.Mark{})
	if err != nil || len(now) < len(was) {
		return true
	}
	for k := range was {
		if differ(&was[k], &now[k]) {
			return true
		}
	}
	return false
}

func bodiesDiffer(a, b *scenario.Answer) bool {
	return len(bodyDifferences(a.Response, b.Response)) > 0
}

// rounds returns Scenario.Reread's turns, one draw each: the requests that change state, and the
// reads after them.
func rounds(parts [][]scenario.Answer) (all [][2][]scenario.Answer) {
	for k := 2; k+3 < len(parts); k += 2 {
		all = append(all, [2][]scenario.Answer{parts[k], parts[k+1]})
	}
	return all
}

// law says that, at one place, the answer to a request equals, at another place, a later answer to
// another request.
type law struct {
	said, read     int // request indices
	saidAt, readAt string
}

// tally counts rounds with equal and with different values.
type tally struct {
	same, other int
	values      map[string]bool // the equal values
	broken      string          // the first different ones
}

// laws counts, for any two places in answers to a change and to the read just after it, how often
// both values were equal.
func (j *juror) laws(rounds [][2][]scenario.Answer) map[law]*tally {
	all := map[law]*tally{}
	for _, round := range rounds {
		for i := range round[0] {
			post := &round[0][i]
			says := j.valuesOf(post, post.Response.Body)
			for k := range round[1] {
				get := &round[1][k]
				for readAt, read := range j.valuesOf(get, get.Response.Body) {
					for saidAt, said := range says {
						l := law{post.Index, get.Index, saidAt, readAt}
						t := all[l]
						if t == nil {
							t = &tally{values: map[string]bool{}}
							all[l] = t
						}
						if said == read {
							t.same, t.values[said] = t.same+1, true
						} else if t.other++; t.other == 1 {
							t.broken = fmt.Sprintf("it answered %s with another value at %s than %s, just before, at %s", get.Sent, readAt,
								post.Sent, saidAt)
						}
					}
				}
			}
		}
	}
	return all
}

// said fails each side whose reads contradict its answer to the change just before, if on another
// side they never do. If several requests change state, both sides fail. A side that stores with a
// delay is spared.
func (j *juror) said(all map[string][][]scenario.Answer) {
	laws := map[string]map[law]*tally{}
	for _, name := range j.names {
		laws[name] = j.laws(rounds(all[name]))
	}
	for _, other := range j.names {
		theirRounds := rounds(all[other])
		n, several := len(theirRounds), len(theirRounds) > 0 && len(theirRounds[0][0]) > 1
		for l, theirs := range laws[other] {
			if n < fewestPairs || theirs.same < n || len(theirs.values)*3 < n {
				continue
			}
			for _, name := range j.names {
				mine := laws[name][l]
				if mine == nil || mine.other == 0 || j.out[name].Wrong != nil {
					continue
				}
				if j.late(name, all[name][len(all[name])-1], func(was, now *scenario.Answer) bool {
					return was.Index == l.read && j.places(was)[l.readAt] != j.places(now)[l.readAt]
				}) {
					laws[name] = nil
				} else {
					unlike := fmt.Sprintf("asked alone after the load, %s; on %s both were the same in each of %d rounds", mine.broken,
						other, n)
					if several { // perhaps one change undoes another on one side only
						unlike += "; nothing tells which is right"
						j.blame(other, errors.New(unlike))
					}
					j.blame(name, errors.New(unlike))
				}
			}
		}
	}
}
