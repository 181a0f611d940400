package plan

import (
	"slices"

	"dyno/internal/record"
)

// spread puts each level on each requested number of server CPUs. The number belongs to the
// level's launch part, so servers on the same number are compared in the same rounds. With
// several numbers, all pairs are compared on each, at the question's first level.
func (r *Request) spread(q *Question, t *preset) error {
	n := len(r.ServerCPUs)
	if n == 0 {
		return nil
	}
	for i, cpus := range r.ServerCPUs {
		switch {
		case cpus < 1:
			return refuse("--server-cpus %d: want 1 or more", cpus)
		case slices.Contains(r.ServerCPUs[:i], cpus):
			return refuse("--server-cpus: %d is named twice", cpus)
		case i > 0 && !t.inRounds():
			return refuse("several values of --server-cpus need --protocol %s or %s; pass one of them, or one value",
				paired, sweep)
		}
	}
	if n > 1 && q.Fresh {
		return refuse("--server-cpus: the processes of this study are new for each load; pass one number")
	}
	if n > 1 { // else the study's cells stay
		q.Cells, q.Family, q.Uncontrolled, q.LevelExtraEpochs = nil, nil, nil, nil
	}
	base, first := q.Levels, []int(nil)
	q.Levels, q.LevelNames, q.ClaimsHash = nil, nil, ""
	for i, l := range base {
		for _, l.CPUs = range r.ServerCPUs {
			if q.Levels = append(q.Levels, l); i == 0 {
				first = append(first, len(q.Levels)-1)
			}
		}
	}
	if n > 1 {
		q.allPairsAt = first
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

// processors returns an error if this machine cannot give servers as many CPUs as a level says,
// or dyno does not start all contestants.
func (w *World) processors(p *record.Plan) error {
	n := MostCPUs(p)
	if n == 0 {
		return nil
	}
	for _, name := range p.Contestants {
		if c, err := w.contestant(name); err == nil && c.Attached {
			return refuse("--server-cpus: %s is already running, and dyno does not pin it; omit --server-cpus, or "+
				"pass the command that starts it", name)
		}
	}
	if w.Room == nil {
		return nil
	}
	if err := w.Room(n); err != nil {
		return refuse("--server-cpus: %w", err)
	}
	return nil
}
