package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
	"dyno/internal/study"
)

// sessionsFile has the sessions from which dyno's second verdicts follow, below the project's root.
const sessionsFile = "internal/judge/sessions.jsonl"

// fewestEpochs is the smallest number of epochs of which a standard error is taken: that of a single pair's first
// analysis by sign flips.
const fewestEpochs = stats.Least - 1

// clearLong is the largest median standard error of biases that is kept: their standard deviation is some percent.
const clearLong = 0.1

// addSessions reads all records below folders, appends what their sessions measured to file, and prints what
// is known of the spread between sessions. A session that file has already is not added again.
func addSessions(folders []string, file string, out io.Writer) error {
	known, err := readFile(file, func(r io.Reader, _ string) ([]judge.Session, error) { return judge.ReadSessions(r) })
	if err != nil {
		return err
	}
	var found []judge.Session
	var longs []judge.Long
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if name := filepath.Base(path); err != nil || d.IsDir() || name != record.TrialsFile && name != record.TrialsFile+".gz" {
				return err
			}
			sessions, pairs, err := sessionsOf(path)
			if err != nil {
				fmt.Fprintf(out, "left out: %v\n", err)
			}
			found, longs = append(found, sessions...), append(longs, pairs...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, one := range merged(found) {
		if slices.ContainsFunc(known, func(s judge.Session) bool { return sessionKey(&s) == sessionKey(&one) }) {
			continue
		}
		if err := keepLine(file, one); err != nil {
			return err
		}
		known = append(known, one)
	}
	if err := printSessions(known, out); err != nil || len(longs) == 0 {
		return err
	}
	apart, trials := 0., 0.
	for _, x := range longs {
		apart, trials = math.Hypot(apart, x.Apart), math.Hypot(trials, x.Trials)
	}
	n := math.Sqrt(float64(len(longs)))
	_, err = fmt.Fprintf(out, "\nstandard error of a pair in long loads, over %d pairs of these folders: %.2f %%, %.1f × that of an "+
		"epoch's trials (assumed: %g × and, independently, %g %%)\n", len(longs), 100*apart/n, apart/trials,
		float64(judge.LongTimes), 100*judge.LongLeast)
	return err
}

// sessionsOf returns what a record measured at each level with several contestants, as long as it says on which
// machine and with which programs, and the pairs' long loads.
func sessionsOf(path string) (all []judge.Session, longs []judge.Long, err error) {
	run, err := study.Open(path)
	if err != nil {
		return nil, nil, err
	}
	p, h := &run.Plan, &run.Host
	m, ok := judge.MetricNamed(p.Primary)
	switch {
	case !ok || !p.InRounds():
		return nil, nil, fmt.Errorf("%s: no paired comparison", path)
	case h.BootID == "" || !h.KnownModel():
		return nil, nil, fmt.Errorf("%s: the record does not say which model of CPU or which boot: %q", path, h.CPU)
	case slices.ContainsFunc(run.Resumes, func(r record.Resume) bool { return r.Host != nil }):
		return nil, nil, fmt.Errorf("%s: two machines or boots measured it", path)
	}
	t := judge.Tabulate(plan.Valid(run), p.At)
	built := slices.Clone(run.Contestants)
	slices.SortFunc(built, func(a, b record.Contestant) int { return cmp.Compare(a.Name, b.Name) })
	for level := range p.Levels {
		s := judge.Session{Relation: judge.RelationOf(p), Source: filepath.ToSlash(path), CPU: h.CPU,
			Session: judge.SessionOf(run), Question: judge.Asked(p, level, m.Name)}
		first := ""
		for i := range built {
			c := &built[i]
			program := judge.Program(c)
			if program == "" || !slices.Contains(p.Contestants, c.Name) {
				continue
			}
			cell := func(name string) record.Cell { return record.Cell{Contestant: name, Level: level} }
			logs := t.Logs(m, cell(c.Name), cell(cmp.Or(first, c.Name)))
			if len(logs) < fewestEpochs {
				continue
			}
			first = cmp.Or(first, c.Name)
			j := stats.Joint([][]float64{logs}, Alpha, 1)[0]
			s.Programs, s.Logs, s.SEs = append(s.Programs, program), append(s.Logs, j.Log), append(s.SEs, j.SE)
		}
		if len(s.Programs) > 1 {
			s.SEs[0] = 0 // the first against itself
			all = append(all, s)
		}
	}
	s, longs := longSession(run)
	if s.Source = filepath.ToSlash(path); len(s.Programs) > 1 && stats.Median(s.SEs[1:]) <= clearLong {
		all = append(all, s)
	}
	if all == nil {
		return nil, nil, fmt.Errorf("%s: no level has two contestants with known sources and %d epochs", path,
			fewestEpochs)
	}
	return all, longs, nil
}

// longSession returns the biases of short loads that a run's long loads show by its primary metric, if all programs
// are known, and what it shows of each pair.
func longSession(run *record.Run) (s judge.Session, longs []judge.Long) {
	a := study.Evaluate(run).Analysis
	if a == nil || len(a.Long) == 0 {
		return s, nil
	}
	s = judge.Session{Relation: judge.RelationOf(&run.Plan), Long: true, CPU: run.Host.CPU, Session: judge.SessionOf(run),
		Question: judge.Asked(&run.Plan, 0, a.Primary)}
	for _, p := range a.Pairs {
		if p.Metric == a.Primary && p.Long != nil {
			longs = append(longs, *p.Long)
		}
	}
	var names []string
	for _, l := range a.Long {
		names = append(names, l.Contestant)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		program, bias := judge.Program(run.Contestant(name)), judge.Long{}
		if p, ok := a.Pair(name, names[0], a.Primary); ok && p.Long != nil {
			bias = *p.Long
		} else if name != names[0] {
			continue
		}
		if program == "" {
			return judge.Session{}, longs
		}
		s.Programs, s.Logs, s.SEs = append(s.Programs, program), append(s.Logs, bias.Measured), append(s.SEs, bias.SE)
	}
	return s, longs
}

// sessionKey identifies what a session says once.
func sessionKey(s *judge.Session) string {
	return strings.Join(append([]string{string(s.Relation), fmt.Sprint(s.Long), s.CPU, s.Session, s.Question},
		s.Programs...), "|")
}

// merged combines runs of one session: together they are one replicate.
func merged(all []judge.Session) (out []judge.Session) {
	runs := map[string][]judge.Session{}
	for _, s := range all {
		runs[sessionKey(&s)] = append(runs[sessionKey(&s)], s)
	}
	for _, s := range all {
		same := runs[sessionKey(&s)]
		delete(runs, sessionKey(&s))
		for i := range s.Logs {
			log, square, n := 0., 0., float64(len(same))
			for _, r := range same {
				log, square = log+r.Logs[i]/n, square+r.SEs[i]*r.SEs[i]/n/n
			}
			s.Logs[i], s.SEs[i] = log, math.Sqrt(square)
		}
		if len(same) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// printSessions prints, for each relation and model of CPU, the spread between sessions, and how well one session
// says what the others found.
func printSessions(known judge.Sessions, out io.Writer) error {
	type kind struct {
		relation judge.Relation
		cpu      string
	}
	var kinds []kind
	for _, s := range known {
		if k := (kind{s.Relation, s.CPU}); !s.Long && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	head := words("sides|model of CPU|τ, %|from sessions|left-out sessions covered|directions held")
	_, err := fmt.Fprint(out, tableOf(head, kinds, func(k kind) []string {
		b, n := known.Between(k.relation, k.cpu)
		tau, from := fmt.Sprintf("%.2f", 100*b.SD), "given"
		if n > 0 {
			tau, from = fmt.Sprintf("%s (upper %.2f)", tau, 100*b.Upper()), fmt.Sprint(n)
		}
		covered, held := leftOut(known, k.relation, k.cpu)
		return []string{string(k.relation), cmp.Or(k.cpu, "any"), tau, from, perOf(covered), perOf(held)}
	}))
	if moves := betweenModels(known); err == nil && len(moves) > 0 {
		head := words("models of CPU|pairs in the other direction|different on both|of these in the other|ratio moves by, median|" +
			"at most")
		_, err = fmt.Fprint(out, "\n", tableOf(head, moves, (*move).row), "\n", besides(known))
	}
	for _, r := range []judge.Relation{judge.Programs, judge.Revisions} {
		sd, n := known.Bias(r)
		text := fmt.Sprintf("from %d programs, upper 80 %%", n)
		if n == 0 {
			text = "given"
		}
		if err == nil {
			_, err = fmt.Fprintf(out, "\nSD of the bias of short loads between two %s: %.2f %% (%s)\n", r, 100*sd, text)
		}
	}
	return err
}

// move says how the ratios of pairs differ between two models of CPU.
type move struct {
	models [2]string
	other  Rate      // pairs whose ratios are on different sides of 1
	clear  Rate      // pairs whose intervals, with τ and ω as of a run of these two, exclude 1 on both
	turned Rate      // of these, on different sides
	by     []float64 // absolute differences of the log ratios
	most   string    // the pair that differs most
}

func (m *move) row() []string {
	by := func(log float64) string { return fmt.Sprintf("%.2f ×", math.Exp(log)) }
	return []string{m.models[0] + "; " + m.models[1], perOf(m.other), perOf(m.clear), perOf(m.turned),
		by(stats.Median(m.by)), by(slices.Max(m.by)) + ": " + m.most}
}

// betweenModels compares the means over sessions of the same pairs of different programs, by the same question, on
// each two models of CPU.
func betweenModels(known judge.Sessions) (moves []*move) {
	pairs, models := measured(known), known.Models()
	for _, c := range couples(len(models)) {
		m := &move{models: [2]string{models[c[0]], models[c[1]]}}
		for _, p := range pairs {
			log, different := [2]float64{}, true
			for i, cpu := range m.models {
				e := known.On(cpu, judge.Programs, p.question, p.a, p.b, 2, 0)
				log[i], different = math.Log(e.Value), different && (e.Lo > 1 || e.Hi < 1)
			}
			by := math.Abs(log[0] - log[1])
			if !(by < math.Inf(1)) { // not measured on both
				continue
			}
			if m.by = append(m.by, by); by == slices.Max(m.by) {
				m.most = fmt.Sprintf("%s to %s, %.2f and %.2f", p.a, p.b, math.Exp(log[0]), math.Exp(log[1]))
			}
			turned := int(when(log[0]*log[1] < 0, 1))
			m.other.Of, m.other.Hits, m.clear.Of = m.other.Of+1, m.other.Hits+turned, m.clear.Of+1
			if different {
				m.clear.Hits, m.turned.Of, m.turned.Hits = m.clear.Hits+1, m.turned.Of+1, m.turned.Hits+turned
			}
		}
		if len(m.by) > 0 {
			moves = append(moves, m)
		}
	}
	return moves
}

// askedPair is two programs and what was asked.
type askedPair struct{ question, a, b string }

// measured returns the pairs of different programs that sessions compared, sorted.
func measured(known judge.Sessions) (pairs []askedPair) {
	for _, s := range known {
		if s.Relation != judge.Programs || s.Long {
			continue
		}
		for _, c := range couples(len(s.Programs)) {
			pairs = append(pairs, askedPair{s.Question, s.Programs[c[0]], s.Programs[c[1]]})
		}
	}
	slices.SortFunc(pairs, func(p, q askedPair) int {
		return cmp.Or(cmp.Compare(p.question, q.question), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	return slices.Compact(pairs)
}

// besides lists the ratios in each session, for the pairs that two models of CPU measured.
func besides(known judge.Sessions) table {
	pairs, models := measured(known), known.Models()
	t := table{append(words("question|pair"), models...)}
	for _, p := range pairs {
		row, n := []string{p.question, p.a + " ÷ " + p.b}, 0
		for _, cpu := range models {
			_, logs, _ := known.Pair(cpu, "", p.question, p.a, p.b)
			n += int(when(len(logs) > 0, 1))
			var all []string
			for _, log := range logs {
				all = append(all, fmt.Sprintf("%.2f", math.Exp(log)))
			}
			row = append(row, strings.Join(all, ", "))
		}
		if n > 1 {
			t = append(t, row)
		}
	}
	return t
}

// leftOut leaves out one session after another: covered counts the pairs whose second interval in that
// session, times √(N/(N−1)), contains the mean of the other N−1; held counts, of the pairs that are
// different in the second verdict, the other sessions that found the same direction.
func leftOut(known judge.Sessions, r judge.Relation, cpu string) (covered, held Rate) {
	for _, p := range known.Repeated(r, cpu) {
		for i, own := range p.Logs {
			others := slices.DeleteFunc(slices.Clone(known), func(s judge.Session) bool { return s.Session == p.Sessions[i] })
			spread, _ := others.Between(r, cpu)
			spread.Bias = 0 // the same in all sessions
			half := math.Hypot(stats.NormalLimit(Alpha)*p.SEs[i], spread.Reach(2, 1-Alpha))
			mean, n := 0., float64(len(p.Logs))
			for j, log := range p.Logs {
				if j == i {
					continue
				}
				mean += log / (n - 1)
				if math.Abs(own) > half {
					held.Of, held.Hits = held.Of+1, held.Hits+int(when(own*log > 0, 1))
				}
			}
			covered.Of, covered.Hits = covered.Of+1, covered.Hits+int(when(math.Abs(own-mean) <= half*math.Sqrt(n/(n-1)), 1))
		}
	}
	return covered, held
}
