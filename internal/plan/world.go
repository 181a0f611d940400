package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// unserved removes everything that contestants do not serve from a plan: cells whose HTTP
// version they lack or that have too few CPUs for them, comparisons with these cells, and
// contestants without a level. The plan names them all. It returns an error if nobody is left.
func (w *World) unserved(p *record.Plan, named bool) error {
	mixed := SomeAsPublished(p) // in another plan a contestant's build says what it lacks
	lacks := func(name string, l record.Level) (u record.Unserved, lacks bool) {
		c, err := w.contestant(name) // check reports the error
		switch {
		case err != nil:
		case c.Protocols != nil && !slices.Contains(c.Protocols, l.HTTP):
			return record.Unserved{Contestant: name, HTTP: l.HTTP}, true
		case !l.AsPublished && (l.CPUs > 0 || mixed) && cmp.Or(l.CPUs, w.Servers) < c.CPUs:
			return record.Unserved{Contestant: name, CPUs: c.CPUs}, true
		}
		return u, false
	}
	left := map[record.Cell]bool{}
	for _, name := range p.Contestants {
		for i, l := range p.Levels {
			cell := record.Cell{Contestant: name, Level: i}
			switch u, lacking := lacks(name, l); {
			case !p.Has(cell):
			case !lacking:
				left[cell] = true
			case !slices.Contains(p.Servers.Unserved, u):
				p.Servers.Unserved = append(p.Servers.Unserved, u)
			}
		}
	}
	if len(p.Servers.Unserved) == 0 {
		return nil
	}
	if len(left) == 0 {
		var forms []string
		for _, u := range p.Servers.Unserved {
			if u.CPUs > 0 {
				forms = append(forms, fmt.Sprintf("%s needs %d CPUs", u.Contestant, u.CPUs))
				continue
			}
			forms = append(forms, u.Contestant+" does not serve "+u.HTTP.Words())
		}
		return refuse("no contestant serves what this run asks: %s; the keys protocols and cpus of its contestant.toml "+
			"say what it serves and needs", strings.Join(forms, ", "))
	}
	p.Cells = slices.DeleteFunc(slices.Clone(p.Cells), func(c record.Cell) bool { return !left[c] })
	p.Contestants = slices.DeleteFunc(slices.Clone(p.Contestants), func(name string) bool {
		return !slices.ContainsFunc(p.Cells, func(c record.Cell) bool { return c.Contestant == name })
	})
	p.Family = slices.DeleteFunc(slices.Clone(p.Family), func(f record.Comparison) bool {
		return !left[f.A] ||
			!left[f.B]
	})
	if named && len(p.Family) == 0 {
		return refuse("nothing is left to compare: in each pair one contestant does not serve the protocol of its level, " +
			"or needs more CPUs; the keys protocols and cpus of its contestant.toml say what it serves and needs")
	}
	return nil
}

// check returns an error for unknown or repeated contestants and reference servers, and for
// contestants that do not serve a scenario in the plan. It records which have a managed runtime,
// and which are already running.
func (w *World) check(p *record.Plan) error {
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
				return refuse("%s does not serve the scenario %q; it serves only %s", name, needs,
					strings.Join(c.Scenarios, ", "))
			}
		}
		if c.Attached {
			p.Servers.Attached = append(p.Servers.Attached, name)
		}
		if c.Managed {
			p.Servers.Managed = append(p.Servers.Managed, name)
		}
	}
	if n := len(p.Controls); n > len(references) || !slices.Equal(p.Controls, references[:n]) {
		return refuse("--controls %q: want ref, or ref and its copy ref', or none", strings.Join(p.Controls, ","))
	}
	for _, name := range p.Controls {
		if slices.Contains(p.Contestants, name) {
			return refuse("%q is both a contestant and a control; pass --controls none", name)
		}
	}
	return nil
}

func (w *World) contestant(name string) (Contestant, error) {
	if w.Contestant == nil {
		return Contestant{}, nil
	}
	return w.Contestant(name)
}

// services sets the services of a plan, those of its scenario, and each level's number of records. The
// levels' scenarios need these services, some of them, or none.
func (w *World) services(p *record.Plan) error {
	if w.Scenario == nil {
		return nil
	}
	s, err := w.Scenario(p.Scenario)
	if err != nil {
		return err
	}
	p.Services, p.Title = s.Services, cmp.Or(p.Title, s.Title)
	for _, s := range p.Services {
		if slices.Contains(p.Contestants, s.Name) || slices.Contains(p.Controls, s.Name) {
			return refuse("%q is both a contestant and a service; give one of them another name", s.Name)
		}
	}
	source := p.Source() != ""
	for i := range p.Levels {
		l := &p.Levels[i]
		name := cmp.Or(l.Scenario, p.Scenario)
		if s, err = w.Scenario(name); err != nil {
			return err
		}
		if !l.HTTP.Two() {
			l.Pipeline = max(l.Pipeline, s.Pipeline)
		}
		l.PerConnection = cmp.Or(l.PerConnection, s.PerConnection)
		switch {
		case slices.ContainsFunc(s.Services, func(d record.Service) bool { return !slices.Contains(p.Services, d) }):
			return refuse("the scenarios %s and %s cannot be in one run, because %[2]s uses services that %[1]s does "+
				"not; run them one by one", p.Scenario, name)
		case !source && l.Records != 0:
			return refuse("--records: the scenario %s uses no service that returns records; omit it", name)
		case l.Records < 0:
			return refuse("--records %d: want 1 or more", l.Records)
		case source && l.Records == 0 && p.Study.ClaimsHash != "":
			return refuse(
				"study %s: a level with the scenario %s does not set records, the number that the service returns",
				p.Study.Slug, name)
		case source && l.Records == 0:
			l.Records = DefaultRecords
		}
	}
	return nil
}

// ceiling sets the server that determines the generator's ceiling in the pilots: the source,
// loaded by the generator itself, or the null server. It returns which requests that server
// answers: further scenarios, and HTTP versions beside HTTP/1.1 in the clear. It sets no ceiling
// without a reference.
func (w *World) ceiling(p *record.Plan) (answers func(Asking) bool) {
	all := func(Asking) bool { return true }
	switch {
	case len(p.Controls) == 0 || p.Source() == "" && p.First().DelayNS > 0:
		return all
	case p.Source() != "":
		p.Ceiling = p.Source()
		return all
	case w.Answered == nil:
		p.Ceiling = "null"
		return func(of Asking) bool { return of.HTTP == wire.Clear }
	}
	also, alike, ok := w.Answered(p.Scenario, OtherScenarios(p))
	answers = func(of Asking) bool {
		return (of.Scenario == "" || slices.Contains(also, of.Scenario)) && (of.HTTP == wire.Clear || alike)
	}
	if ok && slices.ContainsFunc(p.Levels, func(l record.Level) bool { return answers(AskingAt(l)) }) {
		p.Ceiling = "null"
	}
	return answers
}

// OtherScenarios names the scenarios that levels have instead of the plan's.
func OtherScenarios(p *record.Plan) (names []string) {
	for _, l := range p.Levels {
		if l.Scenario != "" && !slices.Contains(names, l.Scenario) {
			names = append(names, l.Scenario)
		}
	}
	return names
}
