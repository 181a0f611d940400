package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// TestFaults kills, stops and starves runs with made-up loads at places drawn from a seed, and
// resumes them until they are whole: no recorded trial is lost, no process is left, and no figure
// is wrong if the exit code is 0. DYNO_FAULTS=200 runs the whole campaign.
func TestFaults(t *testing.T) {
	t.Parallel()
	n := len(faults) // each once
	if testing.Short() {
		n = 2
	}
	c := campaign{
		program: "dyno-made", faults: number(t, "DYNO_FAULTS", n), seed: 15, lines: 190,
		args: []string{"--epochs", "8", "--budget", "1h"},
		judge: func(t *testing.T, run *record.Run, p judge.Pair) {
			truth := madeRates["ref"] / madeRates["ref+50%"]
			if p.A != "ref" {
				truth = 1 / truth
			}
			if p.Better != "ref" || p.Verdict != judge.Different || math.Abs(p.Ratio.Value/truth-1) > 0.01 {
				t.Errorf("%s against %s: %.4f, %v for %q; the truth is %.4f", p.A, p.B, p.Ratio.Value, p.Verdict,
					p.Better, truth)
			}
			for i := range run.Trials {
				tr := run.Trials[i]
				want := madeRates[tr.Contestant] * float64(tr.Load.WindowNS) / 1e9
				if off := float64(tr.Load.Succeeded)/want - 1; math.Abs(off) > 8*madeNoise {
					t.Errorf("trial %d is %.3f off the truth", i, off)
				}
			}
		},
	}
	c.run(t)
}

// TestRealFaults does the same to runs with real loads: DYNO_REAL_FAULTS=20 asks for it and takes
// about ten minutes.
func TestRealFaults(t *testing.T) {
	n := number(t, "DYNO_REAL_FAULTS", 0)
	if n == 0 {
		t.Skip("set DYNO_REAL_FAULTS=20 to kill, stop and starve real runs, some ten minutes")
	}
	c := campaign{
		program: "dyno", faults: n, seed: 15, lines: 190, args: []string{"--epochs", "8", "--budget", "75s"},
		judge: func(t *testing.T, run *record.Run, p judge.Pair) {
			if p.Better == "ref+50%" || p.Verdict == judge.Equivalent {
				t.Errorf("%s against %s: %.4f, %v for %q", p.A, p.B, p.Ratio.Value, p.Verdict, p.Better)
			}
		},
	}
	c.run(t)
}

// deck deals its cards in random order, each as often as any other.
type deck[T any] struct{ cards, left []T }

func (d *deck[T]) draw(rng *rand.Rand) T {
	if len(d.left) == 0 {
		d.left = slices.Clone(d.cards)
		rng.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// number returns the number in an environment variable, or other.
func number(t *testing.T, name string, other int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return other
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// campaign is a number of faults, in as many runs as they need.
type campaign struct {
	program string   // that is run
	args    []string // beside those of all campaigns
	faults  int
	seed    uint64
	lines   int // that the record of a whole run has, about
	judge   func(t *testing.T, run *record.Run, primary judge.Pair)

	rng     *rand.Rand
	locks   string
	deck    deck[fault]
	met     map[string]int // faults, by their name and the exit code
	trials  int            // in whole runs
	resumed int
}

// fault is an action on a running dyno.
type fault struct {
	name string
	do   func(p *running, rng *rand.Rand)
}

// running is a dyno that will meet a fault.
type running struct {
	*exec.Cmd
	file   string   // its record
	stderr *os.File // the end that is read
}

func (p *running) signal(s syscall.Signal) { p.Process.Signal(s) }

// full lets the process's files grow by some more bytes, as on an almost full disk; the next record
// may be cut in the middle.
func (p *running) full(rng *rand.Rand) {
	st, err := os.Stat(p.file)
	if err != nil {
		return
	}
	var old unix.Rlimit
	pid := p.Process.Pid
	if unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old) == nil {
		unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(st.Size()) + rng.Uint64N(900), Max: old.Max}, nil)
	}
}

var faults = []fault{
	{"SIGKILL", func(p *running, _ *rand.Rand) { p.signal(syscall.SIGKILL) }},
	{"SIGINT", func(p *running, _ *rand.Rand) { p.signal(syscall.SIGINT) }},
	{"SIGTERM", func(p *running, _ *rand.Rand) { p.signal(syscall.SIGTERM) }},
	{"SIGHUP", func(p *running, _ *rand.Rand) { p.signal(syscall.SIGHUP) }},
	{"SIGPIPE", func(p *running, _ *rand.Rand) { p.signal(syscall.SIGPIPE) }},
	{"nobody reads", func(p *running, _ *rand.Rand) { p.stderr.Close() }},
	{"full disk", func(p *running, rng *rand.Rand) { p.full(rng) }},
	{"full for a while", func(p *running, rng *rand.Rand) {
		p.full(rng)
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY},
			nil)
	}},
	{"pause", func(p *running, rng *rand.Rand) {
		p.signal(syscall.SIGSTOP)
		time.Sleep(time.Duration(1+rng.IntN(500)) * time.Millisecond)
		p.signal(syscall.SIGCONT)
	}},
}

func (c *campaign) run(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	c.rng, c.deck, c.met = rand.New(rand.NewPCG(c.seed, 0)), deck[fault]{cards: faults}, map[string]int{}
	c.locks = t.TempDir()
	runs, whole := 0, 0
	for left := c.faults; left > 0 && !t.Failed(); runs++ {
		dir := filepath.Join(t.TempDir(), "run")
		for again, ended := false, false; !ended && !t.Failed(); {
			var f *fault
			if left > 0 {
				drawn := c.deck.draw(c.rng)
				f, left = &drawn, left-1
			}
			var done bool
			done, again = c.attempt(t, root, dir, again, f)
			if ended = done || !again; done {
				whole++
			}
		}
	}
	t.Logf("%d faults in %d runs, %d times resumed, %d of them whole at the end, with %d trials: %v",
		c.faults, runs, c.resumed, whole, c.trials, c.met)
}

// attempt begins the run in dir, or continues it, and lets it meet f. It reports whether the run is
// whole, and whether it can continue.
func (c *campaign) attempt(t *testing.T, root, dir string, resume bool, f *fault) (whole, again bool) {
	file := filepath.Join(dir, record.TrialsFile)
	args := []string{"run", "--contestants", "ref,ref+50%", "--controls", "none", "--primary", "throughput",
		"--offline", "--run-folder", dir}
	args = append(args, c.args...)
	if resume {
		args = []string{"run", "--offline", "--resume", dir}
		c.resumed++
	}
	before, _ := os.ReadFile(file)
	at := 0 // in lines
	switch n := bytes.Count(before, []byte("\n")); {
	case f == nil:
	case resume:
		at = n + c.rng.IntN(c.lines/3)
	default:
		at = c.rng.IntN(c.lines + c.lines/10)
	}
	code, said, seen := c.start(t, root, file, args, at, f)
	name := "no fault"
	if f != nil {
		name = f.name
		c.met[fmt.Sprintf("%s: exit %d", name, code)]++
	}
	what := fmt.Sprintf("%s at line %d of %s (resumed: %t): exit %d", name, at, dir, resume, code)
	left := leftIn(t, dir)
	for deadline := time.Now().Add(time.Minute); code < 0 && len(left) > 0 &&
		time.Now().Before(deadline); left = leftIn(t, dir) {
		time.Sleep(5 * time.Millisecond) // who was killed does not wait for those that end what he started
	}
	if len(left) > 0 {
		t.Errorf("%s: left behind: %v", what, left)
	}
	after, _ := os.ReadFile(file)
	if !bytes.HasPrefix(after, wholeLines(before)) || !bytes.HasPrefix(after, wholeLines(seen)) {
		t.Errorf("%s: of %d bytes of whole lines before it and %d at it not all are left, in %d",
			what, len(wholeLines(before)), len(wholeLines(seen)), len(after))
	}
	run, err := record.Open(dir)
	if err != nil && len(wholeLines(after)) > 0 {
		t.Errorf("%s: %v", what, err)
	}
	if err != nil {
		if code == exitDone {
			t.Errorf("%s, without a record:\n%s", what, said)
		}
		return false, false
	}
	whole = run.End != nil && slices.Contains([]string{"decided", "last analysis", "budget"}, run.End.Reason) &&
		len(run.Failures) == 0
	switch {
	case whole:
		c.check(t, what, root, dir, run, code)
	case code == exitDone:
		t.Errorf("%s: the run is not whole: %+v, %+v\n%s", what, run.End, run.Failures, said)
	case f == nil:
		t.Errorf("%s: %+v, %+v\n%s", what, run.End, run.Failures, said)
	}
	_, err = plan.Resumable(run)
	return whole, err == nil
}

// start runs the program, lets it meet f once its record has that many lines, and returns its exit
// code, its output, and its record at that time.
func (c *campaign) start(t *testing.T, root, file string, args []string, at int, f *fault) (code int, said string,
	seen []byte) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var told, stdout bytes.Buffer
	cmd := exec.CommandContext(t.Context(), c.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &stdout, w
	cmd.Env = append(os.Environ(), machine.RuntimeVariable+"="+c.locks)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	read, exited := make(chan struct{}), make(chan struct{})
	go func() { io.Copy(&told, r); close(read) }()
	go func() { cmd.Wait(); close(exited) }()
	for waiting := f != nil; waiting; {
		select {
		case <-exited:
			waiting = false
		case <-time.After(2 * time.Millisecond):
			if st, err := os.Stat(file); err == nil && st.Size() > int64(len(seen)) {
				seen, _ = os.ReadFile(file)
			}
			if bytes.Count(seen, []byte("\n")) >= at {
				time.Sleep(time.Duration(c.rng.IntN(4000)) * time.Microsecond)
				f.do(&running{cmd, file, r}, c.rng)
				waiting = false
			}
		}
	}
	<-exited
	r.Close()
	<-read
	return cmd.ProcessState.ExitCode(), told.String() + stdout.String(), seen
}

// check compares a whole run, and its output, with its record.
func (c *campaign) check(t *testing.T, what, root, dir string, run *record.Run, code int) {
	keys := map[record.Key]bool{}
	for i := range run.Trials {
		if k := run.Trials[i].Key; keys[k] {
			t.Errorf("%s: two trials of %+v", what, k)
		} else {
			keys[k] = true
		}
	}
	c.trials += len(run.Trials)
	pairs := study.Analyse(run).Pairs
	i := slices.IndexFunc(pairs, func(p judge.Pair) bool { return p.Metric == run.Plan.Primary })
	if i < 0 {
		t.Fatalf("%s: no pair", what)
	}
	c.judge(t, run, pairs[i])
	if code != exitDone {
		return // its pages may be missing
	}
	cmd := exec.Command(c.program, "report", "--format", "json", dir)
	cmd.Dir = root
	again, err := cmd.Output()
	if page, _ := os.ReadFile(filepath.Join(dir, "run.json")); err != nil || !bytes.Equal(page, again) {
		t.Errorf("%s: its record says something else than it did itself (%v): %d bytes, %d", what, err, len(page),
			len(again))
	}
}

// wholeLines returns b up to its last line end.
func wholeLines(b []byte) []byte { return b[:bytes.LastIndexByte(b, '\n')+1] }
