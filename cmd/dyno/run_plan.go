package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/refserver"
	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// planOf makes the plan of what was asked.
func planOf(pr *project, f *runFlags, slug string) (*result.Plan, *scenario.Scenario, error) {
	st, err := pr.study(slug)
	switch {
	case err != nil && (pr.manifest(slug) != nil || isDir(slug)):
		return nil, nil, usagef("no study %q; contestants are given as --contestants %s,net-http", slug, slug)
	case err != nil:
		return nil, nil, err
	}
	p := &result.Plan{
		Format: result.Format, Dyno: version(), Protocol: f.protocol, Profile: f.profile, Controls: f.controls, Seed: f.seed, Alpha: f.alpha,
		Margin: f.margin, Epochs: f.epochs, Driver: f.driver, StartedUnixNS: time.Now().UnixNano(),
	}
	if err := choose(p, f, st); err != nil {
		return nil, nil, err
	}
	if f.primary != "" {
		p.Primary = f.primary
	}
	if f.spin != "auto" {
		p.Spin = f.spin
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64N(1 << 32)
	}
	switch {
	case slices.Equal(p.Controls, []string{"none"}):
		p.Controls = []string{}
	case len(p.Controls) == 0 && p.Fresh && p.Protocol == plan.Duel: // for each would cost as much as a contestant
		p.Controls = []string{}
	case len(p.Controls) == 0:
		p.Controls = []string{"ref", "ref'"}
		if p.Profile == "full" || p.Profile == plan.Lab {
			p.Controls = append(p.Controls, "ref+5%")
		}
	}
	if err := levelsOf(p, f); err != nil {
		return nil, nil, err
	}
	if err := tail(p); err != nil {
		return nil, nil, err
	}
	if p.Profile == plan.Lab && !f.marginGiven {
		p.Margin = plan.LabMargin(p)
	}
	if err := check(pr, f, p); err != nil {
		return nil, nil, err
	}
	sc, err := pr.scenario(p.Scenario)
	if err != nil {
		return nil, nil, err
	}
	if err := pr.setCompanion(p, sc); err != nil {
		return nil, nil, err
	}
	if err := pr.ceiling(p, sc); err != nil {
		return nil, nil, err
	}
	if p.Title == "" {
		p.Title = sc.Title
	}
	if err := manage(pr, p); err != nil {
		return nil, nil, err
	}
	p.IdleConnections = f.idle
	if err := plan.Profile(p); err != nil {
		return nil, nil, usagef("--profile: %w", err)
	}
	if err := atHome(p, runtime.NumCPU(), f.force); err != nil {
		return nil, nil, err
	}
	if p.Study != "" {
		st.Tune(p, study.Choice{Quick: f.quick, Levels: f.levels})
	}
	if len(f.looks) > 0 {
		p.Looks = f.looks
	}
	if p.Protocol == plan.Search {
		if p.SLO, err = parseSLO(cmp.Or(f.slo, "p99<10ms")); err != nil {
			return nil, nil, usagef("--slo %q: %w", f.slo, err)
		}
	}
	if err := classic(p, f); err != nil {
		return nil, nil, err
	}
	budget(p, f)
	if f.out == "" {
		f.out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405Z"))
	}
	p.Command = commandOf(f, p, slug)
	return p, sc, nil
}

// choose puts the study into the plan, and what was asked for in its place. What is not the study's own question has none of its claims.
func choose(p *result.Plan, f *runFlags, st *study.Study) error {
	var names []string
	for _, l := range st.Levels {
		names = append(names, l.Name)
	}
	for _, name := range f.levels {
		if !slices.Contains(names, name) {
			return usagef("no level %q in the study %s%s", name, st.Slug, suggest(name, names, "its study.toml"))
		}
	}
	st.Fill(p, study.Choice{Quick: f.quick, Levels: f.levels})
	if len(f.contestants) > 0 {
		p.Contestants, p.Title, p.Study = f.contestants, "", ""
		p.Requests, p.TrialNS, p.BudgetNS, p.Heap, p.Fresh = 0, 0, 0, false, false // those of the study are for its own
	}
	if f.scenario != "" {
		p.Scenario = f.scenario
	}
	if len(f.contestants) > 0 || f.scenario != "" {
		p.ClaimsHash, p.Levels, p.LevelNames, p.Cells, p.Family, p.Level.Scenario, p.Level.Records = "", nil, nil, nil, nil, "", 0
	}
	return nil
}

// levelsOf sets the plan's level, or a sweep's levels: all connections with all numbers of records at all delays, where any were asked for.
func levelsOf(p *result.Plan, f *runFlags) error {
	connections, delays, records := f.connections, f.delays, f.records
	if len(connections)+len(delays)+len(records) == 0 && (p.Protocol != plan.Sweep || len(p.Levels) > 0) {
		return nil
	}
	if len(connections) == 0 {
		connections = []int{p.Level.Connections}
	}
	if len(delays) == 0 {
		delays = []time.Duration{time.Duration(p.Level.DelayNS)}
	}
	if len(records) == 0 {
		records = []int{p.Level.Records}
	}
	var all []result.Level
	for _, d := range delays {
		for _, n := range records {
			for _, c := range connections {
				l := p.Level
				l.DelayNS, l.Records, l.Connections = int64(d), n, c
				all = append(all, l)
			}
		}
	}
	p.Level, p.Levels, p.LevelNames, p.Cells, p.Family = all[0], nil, nil, nil, nil
	switch {
	case p.Protocol == plan.Sweep:
		p.Levels = all
	case len(all) > 1:
		return usagef("several --connections, --records or --delay make a sweep: give --protocol sweep, or one of each")
	}
	return nil
}

// ceiling names who shows in the pilots what can be measured at most: the companion, asked by the generator itself, or the null server, with those
// scenarios of levels that it can answer besides the plan's own. Without a yardstick it cannot be told.
func (p *project) ceiling(of *result.Plan, sc *scenario.Scenario) error {
	switch {
	case len(of.Controls) == 0 || of.Companion == "" && of.Level.DelayNS > 0:
		return nil
	case of.Companion != "":
		of.Ceiling = of.Companion
		return nil
	}
	var list []*scenario.Scenario
	for _, name := range otherScenarios(of) {
		s, err := p.scenario(name)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if _, also, err := refserver.NullOf(sc, list...); err == nil {
		of.Ceiling, of.CeilingScenarios = "null", also
	}
	return nil
}

// tailShare is the share of the slowest contestant's capacity at which the lab compares p99.
const tailShare = 0.5

// tail makes a plan whose primary is p99 an open loop, beside the closed one that shows what the contestants can bear. It refuses where p99 cannot be
// ranked.
func tail(p *result.Plan) error {
	switch {
	case p.Primary != "p99" && p.Primary != plan.Tail:
		return nil
	case p.Profile != plan.Lab || p.Protocol != plan.Duel:
		return usagef("--primary p99: only a duel with --profile lab ranks it; on a shared machine of few CPUs a difference of 5 %% in p99 is found in 10 to 74 of 100 runs " +
			"of 48 epochs (doc/method.md). --primary p50 ranks the median, and --protocol search finds the rate at which p99 holds")
	}
	closed := p.Level
	open := closed
	open.RateShare = tailShare
	p.Primary, p.Level, p.Levels, p.LevelNames = plan.Tail, open, []result.Level{open, closed}, nil
	return nil
}

// check refuses values that cannot be meant.
func check(pr *project, f *runFlags, p *result.Plan) error {
	if err := pr.contestants(p.Contestants); err != nil {
		return err
	}
	if !slices.Contains([]string{plan.Duel, plan.Sweep, plan.Search, plan.Classic}, p.Protocol) {
		return usagef("--protocol %q: there are duel, sweep, search and classic", p.Protocol)
	}
	for _, c := range p.Controls {
		if control, ok, err := refserver.ParseControl(c); err != nil || !ok || control.Null {
			return usagef("--controls: %q is no truth server to ride along; want ref, ref' or ref+X%%", c)
		}
		if slices.Contains(p.Contestants, c) {
			return usagef("%q is both a contestant and a control; name others with --controls, or --controls none", c)
		}
	}
	switch {
	case len(p.Controls) == 0 && p.Protocol != plan.Duel && p.Protocol != plan.Classic:
		return usagef("--controls none: a %s has ratios to a yardstick; only a duel and a classic run go without", p.Protocol)
	case len(p.Controls) > 0 && p.Controls[0] != "ref":
		return usagef("--controls: the first must be ref, the yardstick")
	}
	if m, ok := analysis.MetricNamed(p.Primary); !ok || m.Told {
		return usagef("--primary %q: there are throughput, cpu_per_request, p50 and memory, and in the lab p99", p.Primary)
	}
	for _, l := range append([]result.Level{p.Level}, p.Levels...) {
		switch d := time.Duration(l.DelayNS); {
		case l.Connections < 1 || l.Connections > 60_000:
			return usagef("--connections %d: want 1 to 60000", l.Connections)
		case d < 0 || d > time.Minute:
			return usagef("--delay %v: want 0 to 1m", d)
		}
	}
	switch {
	case f.budget < 0:
		return usagef("--budget %v: want more than 0", f.budget)
	case p.Alpha <= 0 || p.Alpha >= 0.5:
		return usagef("--alpha %v: want more than 0 and less than 0.5", p.Alpha)
	case p.Margin <= 0 || p.Margin >= 1:
		return usagef("--margin %v: want a share, more than 0 and less than 1", p.Margin)
	case p.Driver != "" && p.Protocol != plan.Classic:
		return usagef("--driver belongs to --protocol classic: another load generator's figures are set beside ours, and never ranked")
	case f.slo != "" && p.Protocol != plan.Search:
		return usagef("--slo belongs to --protocol search")
	case p.Epochs < 0 || p.Epochs > 0 && p.Protocol == plan.Duel:
		return usagef("--epochs %d: want 1 or more, and a sweep, a search or a classic run; a duel ends when all is decided", p.Epochs)
	case len(f.idle) > 0 && p.Protocol != plan.Duel && p.Protocol != plan.Sweep:
		return usagef("--idle-connections belongs to a duel or a sweep")
	case len(f.idle) == 1 || !slices.IsSorted(f.idle) || slices.ContainsFunc(f.idle, func(n int) bool { return n < 1 || n > 60_000 }):
		return usagef("--idle-connections %v: want two or more numbers from 1 to 60000, rising", f.idle)
	case slices.ContainsFunc(f.looks, func(n int) bool { return n < 1 }):
		return usagef("--looks %v: want numbers of epochs, 1 or more", f.looks)
	case (f.requests != "" || f.duration != 0) && p.Protocol != plan.Classic:
		return usagef("--requests and --duration belong to --protocol classic; the trials of a %s have their own length", p.Protocol)
	case f.requests != "" && f.duration != 0:
		return usagef("--requests and --duration: give one of them")
	case f.duration < 0:
		return usagef("--duration %v: want more than 0", f.duration)
	}
	return nil
}

// atHome refuses the profile lab on a machine with fewer CPUs than it is made for, and what can only be ranked in the lab elsewhere. What force
// overrules is recorded.
func atHome(p *result.Plan, cpus int, force bool) error {
	if p.Profile != plan.Lab || cpus >= plan.LabCPUs {
		return nil
	}
	why := fmt.Sprintf("server and generator need %d CPUs or more, and this machine gives dyno %d: what wakes beside them moves the tail and the small differences "+
		"that lab is for", plan.LabCPUs, cpus)
	if !force {
		return usagef("--profile lab: %s; --profile full decides throughput and CPU per request here, --force runs it all the same and the report says so", why)
	}
	p.Forced = "profile lab: " + why
	return nil
}

// manage notes which contestants are of a managed runtime, and refuses one that does not serve what it is to be loaded with.
func manage(pr *project, p *result.Plan) error {
	for _, name := range p.Contestants {
		m := pr.manifest(name)
		if m == nil {
			continue
		}
		for i, l := range p.Points() {
			needs := cmp.Or(l.Scenario, p.Scenario)
			loaded := len(p.Cells) == 0 || slices.Contains(p.Cells, result.Cell{Contestant: name, Level: i})
			if loaded && !slices.Contains(m.Scenarios, needs) {
				return usagef("%s does not serve the scenario %q; it serves %s", name, needs, strings.Join(m.Scenarios, ", "))
			}
		}
		if m.Managed() {
			p.Managed = append(p.Managed, name)
		}
	}
	return nil
}

// classic sets the length of a classic load.
func classic(p *result.Plan, f *runFlags) error {
	if p.Protocol != plan.Classic {
		return nil
	}
	p.TrialNS = cmp.Or(p.TrialNS, int64(30*time.Second)) // the article's own
	if f.duration > 0 {
		p.TrialNS, p.Requests = int64(f.duration), 0
	}
	if f.requests != "" {
		n, err := parseCount(f.requests)
		if err != nil {
			return usagef("--requests %q: %w", f.requests, err)
		}
		p.Requests = n
	}
	return nil
}

// parseSLO reads an objective such as p99<10ms.
func parseSLO(s string) (*result.SLO, error) {
	quantile, limit, found := strings.Cut(s, "<")
	d, err := time.ParseDuration(strings.TrimSpace(limit))
	q := map[string]float64{"p99": 0.99, "p50": 0.5}[strings.TrimSpace(quantile)]
	if !found || err != nil || d <= 0 || q == 0 {
		return nil, errors.New("want p99<10ms or p50<2ms: a quantile and what it must stay below")
	}
	return &result.SLO{Quantile: q, LimitNS: int64(d), ErrorShare: 0.001}, nil
}

func sloWords(s *result.SLO) string {
	return fmt.Sprintf("the highest rate with p%g below %v", 100*s.Quantile, time.Duration(s.LimitNS))
}

// budget sets what was not asked for.
func budget(p *result.Plan, f *runFlags) {
	switch {
	case f.budget > 0:
		p.BudgetNS = int64(f.budget)
	case p.BudgetNS > 0: // the study's
	default:
		p.BudgetNS = int64(plan.DefaultBudget(p))
	}
}

// commandOf is the command that repeats the run.
func commandOf(f *runFlags, p *result.Plan, slug string) string {
	words := []string{"dyno", "run"}
	add := func(given bool, flag string, value any) {
		if given {
			words = append(words, flag, fmt.Sprint(value))
		}
	}
	if p.Study != "" {
		words = append(words, slug)
	}
	named := f.typed
	if len(named) == 0 {
		named = p.Contestants
	}
	add(p.Study == "" && len(named) > 0, "--contestants", quoted(strings.Join(named, ",")))
	add(p.Protocol != plan.Duel, "--protocol", p.Protocol)
	add(p.Profile != "quick", "--profile", p.Profile)
	if f.quick {
		words = append(words, "--quick")
	}
	for _, l := range f.levels {
		add(true, "--level", `"`+l+`"`)
	}
	add(f.scenario != "", "--scenario", f.scenario)
	add(len(f.connections) > 0, "--connections", list(f.connections))
	add(len(f.records) > 0, "--records", list(f.records))
	add(len(f.delays) > 0, "--delay", list(f.delays))
	add(len(f.controls) > 0, "--controls", `"`+strings.Join(f.controls, ",")+`"`)
	add(f.requests != "", "--requests", p.Requests)
	add(f.duration > 0, "--duration", f.duration)
	add(f.epochs > 0, "--epochs", f.epochs)
	add(f.slo != "", "--slo", `"`+f.slo+`"`)
	add(p.Driver != "", "--driver", p.Driver)
	add(p.Spin != "", "--spin", p.Spin)
	add(f.primary != "", "--primary", f.primary)
	add(p.Alpha != 0.05, "--alpha", p.Alpha)
	add(f.marginGiven, "--margin", p.Margin)
	if p.Forced != "" {
		words = append(words, "--force")
	}
	add(len(f.idle) > 0, "--idle-connections", list(f.idle))
	add(len(f.looks) > 0, "--looks", list(f.looks))
	add(p.Protocol == plan.Duel || f.budget > 0, "--budget", time.Duration(p.BudgetNS))
	add(true, "--seed", p.Seed)
	return strings.Join(words, " ")
}

// list joins values by commas, as the flags take them.
func list[T any](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ",")
}
