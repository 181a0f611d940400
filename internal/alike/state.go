package alike

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dyno/internal/scenario"
)

// alone judges what each side answers when it is asked by itself after the load: the same requests as the
// others, in the same order.
func (j *judge) alone() {
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

// stored fails each side on which no request changes what another one reads, though on the next side
// requests do. A side that is as full as it may become is none: its body is the longer one.
func (j *judge) stored(all map[string][][]scenario.Answer) {
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

// late reports whether a side reads something else than it did, as differ says: it stores with a delay.
func (j *judge) late(name string, was []scenario.Answer, differ func(was, now *scenario.Answer) bool) bool {
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

// rounds returns the turns of Scenario.Reread of one draw each: what changes state, and what reads it after.
func rounds(parts [][]scenario.Answer) (all [][2][]scenario.Answer) {
	for k := 2; k+3 < len(parts); k += 2 {
		all = append(all, [2][]scenario.Answer{parts[k], parts[k+1]})
	}
	return all
}

// law says that the answer to one request has at a place what a later answer to another has at its own.
type law struct {
	said, read     int // the requests
	saidAt, readAt string
}

// tally counts rounds with the same two values and with others.
type tally struct {
	same, other int
	values      map[string]bool // that were the same
	broken      string          // the first other ones
}

// laws counts for any two places, of answers to a change and to a read just after it, how often both values were
// the same.
func (j *judge) laws(rounds [][2][]scenario.Answer) map[law]*tally {
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

// said fails each side whose reads contradict what it answered to the change just before, where on another
// side they never do; both sides where several requests change state. One that stores with a delay is none.
func (j *judge) said(all map[string][][]scenario.Answer) {
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
					if several { // one that undoes another, perhaps, and one side does not
						unlike += "; nothing tells which is right"
						j.blame(other, errors.New(unlike))
					}
					j.blame(name, errors.New(unlike))
				}
			}
		}
	}
}

// given fails each side that repeats, asked alone for one answer after the other, values that nobody repeated before
// the load and another side does not repeat now: numbers or ids that belong to one answer. Clocks have moved on
// between two answers.
func (j *judge) given() {
	marks, now := map[int]scenario.Mark{}, map[string]map[int][]values{}
	for _, name := range j.names {
		now[name] = map[int][]values{}
		for _, x := range j.all[name].kept {
			marks[x.Index] = x.Mark
		}
	}
	maps.DeleteFunc(marks, func(index int, _ scenario.Mark) bool { return len(j.unique(j.names[0], index)) == 0 })
	for n := 0; n < fewestPairs && len(marks) > 0; n++ {
		time.Sleep(20 * time.Millisecond)
		for _, name := range j.names {
			answers, err := j.again(name, slices.Collect(maps.Values(marks)))
			if err != nil {
				return
			}
			for _, a := range answers {
				now[name][a.Index] = append(now[name][a.Index], j.places(&a))
			}
		}
	}
	for index := range marks {
		for _, name := range j.names {
			for _, other := range j.names {
				for _, at := range j.unique(name, index) {
					mine, theirs := different(column(now[name][index], at)), different(column(now[other][index], at))
					if theirs == fewestPairs && mine > 0 && mine*3 <= theirs*2 && slices.Contains(j.unique(other, index), at) {
						j.blame(name, fmt.Errorf("asked alone after the load, it answered %s with %d different values at %s in %d "+
							"answers, %s with %d; before the load both repeated none", j.all[name].first(index).Sent, mine, at,
							theirs, other, theirs))
					}
				}
			}
		}
	}
}

// unique returns the places of the answers of a side to a request at which no two had the same value before the load.
func (j *judge) unique(name string, index int) []string {
	all := j.before(j.all[name], index)
	return slices.DeleteFunc(placesOf(all), func(at string) bool {
		got := column(all, at)
		return len(got) < fewestBefore || different(got) < len(got)
	})
}
