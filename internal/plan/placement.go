package plan

import (
	"slices"
	"strconv"

	"dyno/internal/record"
)

// Words of Request.Placement.
const (
	Apart       = "apart"
	AsPublished = "as-published"
)

// spread puts each level on each requested placement. The placement belongs to the level's launch
// part, so servers placed alike are compared in the same rounds. With several placements, all pairs
// are compared on each, at the question's first level.
func (r *Request) spread(q *Question, t *preset) error {
	n, own := len(r.Placement), slices.ContainsFunc(q.Levels, func(l record.Level) bool { return l.AsPublished })
	switch {
	case n == 0 || n == 1 && r.Placement[0] == Apart && !own:
		return nil
	case own:
		return refuse("--placement: this study says itself at which levels nothing is pinned; omit it, or choose other " +
			"levels with --quick or --level")
	case n > 1 && !t.inRounds():
		return refuse("several values of --placement need --protocol %s or %s; pass one of them, or one value", paired,
			sweep)
	case n > 1 && q.Fresh:
		return refuse("--placement: the processes of this study are new for each load; pass one value")
	case n > 1: // else the study's cells stay
		q.Cells, q.Family, q.Uncontrolled, q.LevelExtraEpochs = nil, nil, nil, nil
	}
	base := q.Levels
	q.Levels, q.LevelNames, q.ClaimsHash = nil, nil, ""
	for i, l := range base {
		for _, word := range r.Placement {
			if err := place(&l, word); err != nil {
				return err
			}
			if i == 0 && slices.Contains(q.Levels, l) {
				return refuse("--placement: %s is named twice", word)
			}
			if q.Levels = append(q.Levels, l); i == 0 && n > 1 {
				q.allPairsAt = append(q.allPairsAt, len(q.Levels)-1)
			}
		}
	}
	return nil
}

// place puts a level where a word of Request.Placement says.
func place(l *record.Level, word string) (err error) {
	l.CPUs, l.AsPublished = 0, word == AsPublished
	if word == Apart || l.AsPublished {
		return nil
	}
	if l.CPUs, err = strconv.Atoi(word); err != nil || l.CPUs < 1 {
		return refuse("--placement %s: want %s, %s, or a number of CPUs for servers, 1 or more", word, Apart, AsPublished)
	}
	return nil
}

// MostCPUs returns the largest number of CPUs that any level gives to servers; 0 if none has a
// number.
func MostCPUs(p *record.Plan) (most int) {
	for _, l := range p.Levels {
		most = max(most, l.CPUs)
	}
	return most
}

// SomeAsPublished reports whether some level of a plan is as published.
func SomeAsPublished(p *record.Plan) bool {
	return slices.ContainsFunc(p.Levels, func(l record.Level) bool { return l.AsPublished })
}

// processors returns an error if this machine cannot give servers as many CPUs as a level says,
// or dyno does not start all contestants.
func (w *World) processors(p *record.Plan) error {
	n, free := MostCPUs(p), SomeAsPublished(p)
	for _, name := range p.Contestants {
		if c, err := w.contestant(name); err == nil && c.Attached && (n > 0 || free) {
			return refuse("--placement: %s is already running, and dyno does not pin it; omit --placement, or "+
				"pass the command that starts it", name)
		}
	}
	if w.Room != nil && n > 0 {
		if err := w.Room(n); err != nil {
			return refuse("--placement: %w", err)
		}
	}
	return nil
}
