package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// TestFaultsOfRuns: whatever happens to agents, cables and the controller of a comparison over four hosts, at
// times drawn from DYNO_SEED, its record has each trial once, each loss costs a round or an epoch at most, no
// contestant is blamed, the verdict is not another one, and nothing is left. DYNO_RUN_FAULTS is how many
// faults there are.
func TestFaultsOfRuns(t *testing.T) {
	n := number(t, "DYNO_RUN_FAULTS", 0)
	if n == 0 {
		t.Skip("set DYNO_RUN_FAULTS=100 for so many faults in comparisons over several hosts, some half an hour")
	}
	temp, folder := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	f := newFour(t)
	s := &soak{fleetRun: f, rng: rand.New(rand.NewPCG(uint64(number(t, "DYNO_SEED", 1)), 0)), todo: n,
		faults: deck[trouble]{cards: f.troubles()}, met: map[string]int{}}
	s.one = s.alone(filepath.Join(folder, "alone"), soakArgs)
	for i := 0; s.todo > 0 && !t.Failed(); i++ {
		s.carryOut(filepath.Join(folder, fmt.Sprint(i)))
	}
	t.Logf("%d faults in %d runs, %d of them whole at the end, with %d trials; %d rounds and %d epochs were lost: %v",
		n-s.todo, s.runs, s.whole, s.trials, s.rounds, s.epochs, s.met)
	if slices.Sort(s.apart); len(s.apart) > 0 {
		t.Logf("in the median generators began %v apart", time.Duration(s.apart[len(s.apart)/2]))
	}
	for _, host := range s.names() {
		s.kill(host, syscall.SIGTERM)
	}
	s.gone("at the end", 0, s.all()...)
	if all, _ := filepath.Glob(filepath.Join(temp, "dyno-*")); len(all) > 0 {
		t.Errorf("%v is left", all)
	}
}

var soakArgs = []string{"run", "--contestants", "ref,ref+50%", "--epochs", "8", "--budget", soakBudget.String(),
	"--seed", "15", "--controls", "none", "--connections", "8", "--primary", "throughput", "--offline"}

const (
	soakBudget  = 4 * time.Minute
	soakLongest = 5 * soakBudget
)

// soak is a number of faults, in as many comparisons as they take.
type soak struct {
	*fleetRun
	rng    *rand.Rand
	faults deck[trouble]
	todo   int         // faults
	one    *record.Run // the beginning of the same comparison on one machine

	runs, whole, trials, rounds, epochs int
	met                                 map[string]int // what happened to agents, by the reason that is recorded
	apart                               []int64        // by which the starts of the two generators differed, ns

	happened []happened // of the present run
	said     *logged    // of its last controller
}

// happened is a fault that was.
type happened struct {
	trouble
	from, to int64  // Unix ns
	seen     []byte // the record before it
}

// carryOut makes a run in a folder. Its controller is started as often as it takes.
func (s *soak) carryOut(folder string) {
	s.out, s.happened = folder, nil
	s.runs++
	args := append(slices.Clone(soakArgs), "--fleet", s.file, "--run-folder", folder)
	for budget := soakBudget; !s.t.Failed(); {
		before := len(s.happened)
		var c *exec.Cmd
		c, s.said = s.begin(args...)
		s.disturb(c)
		s.kept()
		s.alive()
		run, err := record.Open(folder)
		disturbed := len(s.happened) > before
		switch {
		case err != nil && disturbed && c.ProcessState.ExitCode() != exitDone:
			s.t.Logf("it had not begun: %s", s.times())
			return
		case err != nil:
			s.t.Fatalf("%v%s", err, s.story())
		}
		s.sound(run)
		_, not := plan.Resumable(run)
		discarded, all := plan.Discarded(run)
		args = []string{"run", "--resume", folder, "--fleet", s.file, "--offline"}
		switch {
		case run.End != nil && run.End.Reason == string(plan.Budget) && budget < soakLongest && 5*discarded < all:
			budget += soakBudget
			args = append(args, "--budget", budget.String())
		case run.End != nil && run.End.Reason != plan.Interrupted:
			s.judge(run)
			return
		case !disturbed:
			s.t.Fatalf("it ended without a fault: %v, %+v%s", c.ProcessState, run.End, s.story())
		case not != nil:
			s.t.Logf("it cannot go on: %v: %s", not, s.times())
			return
		}
		if s.rng.IntN(2) == 0 { // else the next controller comes while the agents still end what they did
			s.gone("without its controller", 15*time.Second, s.all()...)
		}
	}
}

// disturb lets faults happen until the controller ends.
func (s *soak) disturb(c *exec.Cmd) {
	ended := make(chan struct{})
	go func() { c.Wait(); close(ended) }()
	for s.todo > 0 {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(s.rng.Int64N(int64(8 * time.Second)))):
		}
		f := happened{trouble: s.faults.draw(s.rng), from: time.Now().UnixNano(), seen: s.record()}
		f.do(s.hosts, s.rng, f.host, c)
		f.to = time.Now().UnixNano()
		s.happened = append(s.happened, f)
		s.todo--
	}
	select {
	case <-ended:
	case <-time.After(2 * soakLongest):
		s.t.Fatalf("it does not end%s", s.story())
	}
}

func (s *soak) record() []byte {
	data, _ := os.ReadFile(filepath.Join(s.out, record.TrialsFile))
	return data
}

// times tells what happened in the present run.
func (s *soak) times() (text string) {
	for _, f := range s.happened {
		text += fmt.Sprintf("\n%s for %v at record %d: %v", time.Unix(0, f.from).UTC().Format("15:04:05.000"),
			time.Duration(f.to-f.from).Round(time.Millisecond), bytes.Count(f.seen, []byte("\n")), f.trouble)
	}
	return text
}

// story adds what the last controller and the agents said.
func (s *soak) story() string {
	text := s.times() + "\n" + s.said.String()
	for _, host := range s.names() {
		said := s.logs[host].String()
		text += "\n" + host + ": …" + said[max(0, len(said)-2000):]
	}
	return text
}

// kept checks that all that was recorded at any time is recorded.
func (s *soak) kept() {
	for _, f := range s.happened {
		if now := s.record(); !bytes.HasPrefix(now, wholeLines(f.seen)) {
			s.t.Fatalf("before %v the record was no beginning of what it is now%s", f.trouble, s.story())
		}
	}
}

// alive checks that no agent has ended by itself.
func (s *soak) alive() {
	for _, host := range s.names() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.agents[host].Process.Pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			s.t.Fatalf("the agent of %s has ended: %v%s", host, err, s.story())
		}
	}
}

// turn is one attempt at a round.
type turn struct{ epoch, round, attempt int }

// sound checks what holds of each record, whatever happened.
func (s *soak) sound(run *record.Run) {
	bad := func(format string, args ...any) {
		s.t.Errorf("%s%s", fmt.Sprintf(format, args...), s.story())
	}
	if len(run.Failures) > 0 {
		bad("a contestant is blamed: %+v", run.Failures)
	}
	turns, order := map[turn][]*record.Trial{}, []turn{}
	for i := range run.Trials {
		tr := run.Trials[i]
		if what := unsound(&tr.Load); what != "" {
			bad("trial %+v: %s: %+v", tr.Key, what, tr.Load)
		}
		k := turn{tr.Epoch, tr.Round, tr.Attempt}
		if turns[k] == nil {
			order = append(order, k)
		} else if order[len(order)-1] != k {
			bad("%+v is there again after others", k)
		}
		turns[k] = append(turns[k], tr)
	}
	lost := map[turn]bool{}
	for _, l := range run.Lost {
		lost[turn{l.Epoch, l.Round, l.Attempt}] = true
	}
	again := func(from, to int) bool { // a run that goes on begins another epoch
		return slices.ContainsFunc(run.Resumes, func(r record.Resume) bool { return from < r.Epoch && r.Epoch <= to })
	}
	for i, k := range order {
		whole := len(turns[k]) == 2 && turns[k][0].Contestant != turns[k][1].Contestant && turns[k][0].Position == 0 &&
			turns[k][1].Position == 1
		if !whole && len(turns[k]) != 1 {
			bad("%+v has the trials %+v", k, turns[k])
		}
		if i+1 == len(order) {
			if !whole && run.End != nil && run.End.Reason != plan.Interrupted && !again(k.epoch, 1<<30) {
				bad("%+v was not ended", k)
			}
			break
		}
		switch next := order[i+1]; {
		case next.epoch > k.epoch && again(k.epoch, next.epoch): // what it has of this epoch stays, and does not count
		case next.epoch > k.epoch && (!whole || k.round != run.Plan.Rounds-1 || next.round != 0):
			bad("after %+v comes %+v", k, next)
		case next.epoch == k.epoch && next.round == k.round && !lost[k]:
			bad("%+v was taken again for no reason that is recorded", k)
		case next.epoch == k.epoch && next.round != k.round && (!whole || next.round != k.round+1 || lost[k]):
			bad("after %+v comes %+v", k, next)
		}
	}
}

// unsound says what is wrong with a load of two generators whose server keeps its contract; "" if nothing.
func unsound(l *record.Load) string {
	switch p := l.Parts; {
	case len(p) != 2 || p[0].Generator != "gen1" || p[1].Generator != "gen2":
		return "its parts are not those of the two generators"
	case p[0].Started+p[1].Started != l.Started || p[0].Succeeded+p[1].Succeeded != l.Succeeded:
		return "its parts do not add up"
	case l.Started != l.Succeeded+l.Failed+l.Errored()+l.InFlight:
		return "its ledger does not close"
	case l.Failed > 0 || l.Errored() > 0:
		return "not all answers are right"
	}
	return ""
}

// excused are losses that come without a fault, on a machine that is busy.
var excused = regexp.MustCompile(`came .* late|clock is known to`)

// judge checks a run that is whole: what it lost, and its verdict.
func (s *soak) judge(run *record.Run) {
	busy := run.End.Reason == string(plan.Budget)
	discarded, all := plan.Discarded(run)
	s.t.Logf("%d trials, %d of %d after the pilots discarded, %d valid epochs, %s: %s", len(run.Trials), discarded, all,
		len(plan.Epochs(run)), run.End.Reason, s.times())
	if busy && 5*discarded < all {
		s.t.Errorf("%v was not enough%s", soakLongest, s.story())
	} else if !busy {
		s.whole++
	}
	s.trials += len(run.Trials)
	for i := range run.Trials {
		p := run.Trials[i].Load.Parts
		s.apart = append(s.apart, max(p[0].BeganNS-p[1].BeganNS, p[1].BeganNS-p[0].BeganNS))
	}
	rounds, late := 0, 0
	for _, l := range run.Lost {
		s.met[l.Reason]++
		if excused.MatchString(l.Reason) {
			late++
		}
		if !l.Server && l.Round >= 0 {
			rounds++
		}
	}
	s.rounds += rounds
	s.epochs += len(run.Resumes)
	if rounds+len(run.Resumes) > len(s.happened)+late {
		s.t.Errorf("%d faults cost %d rounds and %d epochs: %+v, %+v%s", len(s.happened), rounds, len(run.Resumes),
			run.Lost, run.Resumes, s.story())
	}
	s.equal(run, s.one)
	s.untouched(run)
	for _, p := range study.Analyse(run).Pairs {
		if !busy && p.Metric == run.Plan.Primary && (p.Better == "ref+50%" || p.Verdict == judge.Equivalent) {
			s.t.Errorf("%s against %s: %.4f, %v for %q%s", p.A, p.B, p.Ratio.Value, p.Verdict, p.Better, s.story())
		}
	}
	s.gone("after the run", 5*time.Second, s.all()...)
}

// untouched checks that no trial that counts has a generator that a fault kept from loading.
func (s *soak) untouched(run *record.Run) {
	type part struct{ contestant, generator string }
	usual, touched := map[part][]int64{}, []*record.Trial{}
	for _, tr := range append(plan.Pilot(run), plan.Valid(run)...) {
		if slices.ContainsFunc(s.happened, func(f happened) bool {
			return f.from < tr.EndedUnixNS &&
				tr.StartedUnixNS < f.to
		}) {
			touched = append(touched, tr)
			continue
		}
		for _, p := range tr.Load.Parts {
			k := part{tr.Contestant, p.Generator}
			usual[k] = append(usual[k], p.Started)
		}
	}
	for _, tr := range touched {
		for _, p := range tr.Load.Parts {
			all := usual[part{tr.Contestant, p.Generator}]
			if slices.Sort(all); len(all) > 0 && p.Started < all[len(all)/2]/3 {
				s.t.Errorf("%+v counts, and %s sent %d requests, where %d are usual\n%+v%s", tr.Key, p.Generator, p.Started,
					all[len(all)/2], tr, s.story())
			}
		}
	}
}
