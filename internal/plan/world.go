package plan

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/result"
)

// check refuses contestants and reference servers that there are none of, or twice, and contestants
// that do not serve what they are to be loaded with. It notes which are of a managed runtime, and which run already.
func (w *World) check(p *result.Plan) error {
	for i, name := range p.Contestants {
		c, err := w.contestant(name)
		if err != nil {
			return err
		}
		if slices.Index(p.Contestants, name) < i {
			return refuse("contestant %q is named twice", name)
		}
		for _, a := range Asked(p, name) {
			if needs := cmp.Or(a.Scenario, p.Scenario); c.Scenarios != nil && !slices.Contains(c.Scenarios, needs) {
				return refuse("%s does not serve the scenario %q; it serves %s", name, needs,
					strings.Join(c.Scenarios, ", "))
			}
		}
		if c.Attached {
			p.Attached = append(p.Attached, name)
		}
		if c.Managed {
			p.Managed = append(p.Managed, name)
		}
	}
	for _, name := range p.Controls {
		if c, err := w.contestant(name); err != nil || !c.Reference {
			return refuse("--controls: %q is no reference server to ride along; want ref, ref' or ref+X%%", name)
		}
		if slices.Contains(p.Contestants, name) {
			return refuse("%q is both a contestant and a control; name others with --controls, or --controls none",
				name)
		}
	}
	if len(p.Controls) > 0 && p.Controls[0] != "ref" {
		return refuse("--controls: the first must be ref, the reference")
	}
	return nil
}

func (w *World) contestant(name string) (Contestant, error) {
	if w.Contestant == nil {
		return Contestant{Reference: true}, nil
	}
	return w.Contestant(name)
}

// backend sets the backend that all scenarios of a plan need, and the number of records of each
// level. All scenarios must need the same backend, or none.
func (w *World) backend(p *result.Plan) error {
	if w.Scenario == nil {
		return nil
	}
	s, err := w.Scenario(p.Scenario)
	if err != nil {
		return err
	}
	p.Backend, p.Title = s.Backend, cmp.Or(p.Title, s.Title)
	levels := []*result.Level{&p.Level}
	for i := range p.Levels {
		levels = append(levels, &p.Levels[i])
	}
	for _, l := range levels {
		name := cmp.Or(l.Scenario, p.Scenario)
		if s, err = w.Scenario(name); err != nil {
			return err
		}
		switch {
		case s.Backend != p.Backend:
			return refuse("the scenarios %s and %s cannot be run at once: want one backend for all, or none",
				p.Scenario, name)
		case s.Backend == "" && l.Records != 0:
			return refuse("--records: contestants of the scenario %s call no backend that answers with records", name)
		case l.Records < 0:
			return refuse("--records %d: want 1 or more", l.Records)
		case s.Backend != "" && l.Records == 0 && p.ClaimsHash != "":
			return refuse("the study %s: a level of the scenario %s has no records: say how many its backend answers "+
				"with",
				p.Study, name)
		case s.Backend != "" && l.Records == 0:
			l.Records = DefaultRecords
		}
	}
	return nil
}

// ceiling is the server that shows in the pilots what can be measured at most: the backend, asked
// by the generator itself, or the null server, with those scenarios of levels that it can answer
// besides the plan's own. Without a reference it cannot be told.
func (w *World) ceiling(p *result.Plan) (name string, also []string) {
	switch {
	case len(p.Controls) == 0 || p.Backend == "" && p.Level.DelayNS > 0:
		return "", nil
	case p.Backend != "":
		return p.Backend, nil
	case w.Answered == nil:
		return "null", OtherScenarios(p)
	}
	if also, ok := w.Answered(p.Scenario, OtherScenarios(p)); ok {
		return "null", also
	}
	return "", nil
}

// OtherScenarios names the scenarios of levels that have one of their own.
func OtherScenarios(p *result.Plan) (names []string) {
	for _, l := range p.Points() {
		if l.Scenario != "" && !slices.Contains(names, l.Scenario) {
			names = append(names, l.Scenario)
		}
	}
	return names
}

// room refuses a profile that wants more CPUs than this machine has. What Force overrules is
// recorded.
func (w *World) room(p *result.Plan, force bool) error {
	pr := profileOf(p)
	if w.CPUs == 0 || w.CPUs >= pr.cpus {
		return nil
	}
	err := refuse("--profile %s: server and generator need %d CPUs or more, and this machine gives dyno %d: "+
		"background "+
		"wake-ups move the tail and the small differences that it is for; --profile full decides throughput and CPU "+
		"per request here, "+
		"--force runs it all the same and the report says so", pr.name, pr.cpus, w.CPUs)
	if !force {
		return err
	}
	why, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "--"), ";")
	p.Forced = why
	return nil
}
