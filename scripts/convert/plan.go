package main

import (
	"cmp"
	"encoding/json"
	"slices"

	"dyno/internal/wire"
	"dyno/internal/record"
)

// oldPlan is what a plan of format 2 has, beside the keys of format 3.
type oldPlan struct {
	Protocol         string          `json:"protocol"`
	Level            record.Level    `json:"level"`
	CeilingScenarios []string        `json:"ceiling_scenarios"`
	CeilingProtocols []wire.HTTP `json:"ceiling_protocols"`
	ExtraEpochs      int             `json:"extra_epochs"`
	LevelExtraEpochs []int           `json:"level_extra_epochs"`
	Uncontrolled     []int           `json:"uncontrolled"`
	Analyses         []int           `json:"interim_analyses"`
	Epochs           int             `json:"epochs"`
	Fresh            bool            `json:"fresh"`
}

// groups are the objects of a plan of format 3, with their keys by those of format 2.
var groups = map[string]map[string]string{
	"origin":  {"dyno": "dyno", "command": "command", "started_unix_ns": "started_unix_ns"},
	"study":   {"study": "slug", "claims_hash": "claims_hash", "level_names": "level_names"},
	"servers": {"managed": "managed", "attached": "attached", "unserved": "unserved"},
	"links":   {"layouts": "layouts", "relink": "relink"},
	"load": {"trial_ns": "ns", "requests": "requests", "rewarm_ns": "rewarm_ns", "open_ns": "open_ns",
		"unloaded_ns": "unloaded_ns"},
	"long": {"long_ns": "ns", "no_long": "absent"},
}

// planLine returns the plan of format 2 in a line as one of format 3.
func planLine(line []byte) (*record.Plan, error) {
	var old struct{ Plan oldPlan }
	if err := json.Unmarshal(line, &old); err != nil {
		return nil, err
	}
	var keys struct{ Plan map[string]json.RawMessage }
	if err := json.Unmarshal(line, &keys); err != nil {
		return nil, err
	}
	for _, changed := range []string{"extra_epochs", "epochs"} {
		delete(keys.Plan, changed)
	}
	for group, of := range groups {
		inner := map[string]json.RawMessage{}
		for was, is := range of {
			if value, ok := keys.Plan[was]; ok {
				inner[is] = value
			}
			delete(keys.Plan, was)
		}
		text, err := json.Marshal(inner)
		if err != nil {
			return nil, err
		}
		keys.Plan[group] = text
	}
	rest, err := json.Marshal(keys.Plan)
	if err != nil {
		return nil, err
	}
	var p record.Plan
	if err := json.Unmarshal(rest, &p); err != nil {
		return nil, err
	}
	old.Plan.fill(&p)
	return &p, nil
}

// fill sets what format 2 left out where it followed from the protocol.
func (old *oldPlan) fill(p *record.Plan) {
	p.Format, p.Processes, p.Epochs = record.Format, record.PerEpoch, old.Analyses
	if len(p.Epochs) == 0 {
		p.Epochs = []int{old.Epochs}
	}
	switch {
	case old.Protocol == "classic":
		p.Processes = record.PerLoad
	case old.Fresh:
		p.Processes = record.PerPart
	}
	if len(p.Levels) == 0 {
		p.Levels = []record.Level{old.Level}
	}
	for i := range p.Levels {
		n := cmp.Or(old.ExtraEpochs, 6)
		if i < len(old.LevelExtraEpochs) {
			n = cmp.Or(old.LevelExtraEpochs[i], n)
		}
		p.ExtraEpochs = append(p.ExtraEpochs, n)
	}
	if len(p.Cells) == 0 {
		for _, name := range p.Contestants {
			for i := range p.Levels {
				p.Cells = append(p.Cells, record.Cell{Contestant: name, Level: i})
			}
		}
	}
	levels := []int{0}
	if old.Protocol == "sweep" {
		levels = nil
		for i, l := range p.Levels {
			if !l.Open() {
				levels = append(levels, i)
			}
		}
	}
	if len(p.Family) == 0 && (old.Protocol == "paired" || old.Protocol == "duel" || old.Protocol == "sweep") {
		p.Family = pairs(p, levels)
	}
	old.ride(p)
}

// pairs returns the comparisons of all pairs at levels where the plan has both.
func pairs(p *record.Plan, levels []int) (all []record.Comparison) {
	for _, level := range levels {
		for i, a := range p.Contestants {
			for _, b := range p.Contestants[i+1:] {
				f := record.Comparison{A: record.Cell{Contestant: a, Level: level}, B: record.Cell{Contestant: b, Level: level}}
				if p.Has(f.A) && p.Has(f.B) {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// ride adds the cells of controls, and of the server that shows the ceiling.
func (old *oldPlan) ride(p *record.Plan) {
	for i, l := range p.Levels {
		controlled := old.compared(p, i) && !slices.Contains(old.Uncontrolled, i)
		if controlled {
			for _, name := range p.Controls {
				p.Cells = append(p.Cells, record.Cell{Contestant: name, Level: i})
			}
		}
		first := !slices.ContainsFunc(p.Levels[:i], func(o record.Level) bool { return o.AtBackend() == l.AtBackend() })
		answered := (l.Scenario == "" || slices.Contains(old.CeilingScenarios, l.Scenario)) &&
			(l.HTTP == wire.Clear || slices.Contains(old.CeilingProtocols, l.HTTP))
		if p.Ceiling != "" && !l.Open() && (p.Ceiling == p.Backend && (controlled || first) ||
			p.Ceiling != p.Backend && controlled && answered) {
			p.Cells = append(p.Cells, record.Cell{Contestant: p.Ceiling, Level: i})
		}
	}
}

// compared reports whether contestants are compared at a level: with fresh processes at all that these carry.
func (old *oldPlan) compared(p *record.Plan, level int) bool {
	if !p.InRounds() {
		return true
	}
	if len(p.Family) == 0 {
		return level == 0
	}
	return slices.ContainsFunc(p.Family, func(f record.Comparison) bool {
		return slices.ContainsFunc([]int{f.A.Level, f.B.Level}, func(at int) bool {
			return at == level || old.Fresh && start(p, at) == start(p, level)
		})
	})
}

// start returns the level that begins the processes of a level.
func start(p *record.Plan, level int) int {
	for level > 0 && p.Levels[level].Step > 0 {
		level--
	}
	return level
}
