package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// fleetRun is a comparison over hosts in network namespaces.
type fleetRun struct {
	*hosts
	out string // its folder
}

// newFleetRun makes hosts; the first one is the controller's. machines is fleet.toml without that.
func newFleetRun(t *testing.T, machines string, names ...string) *fleetRun {
	return &fleetRun{newFleet(t, machines, true, names...), filepath.Join(t.TempDir(), "run")}
}

// newFour starts the agents of two generators and a server.
func newFour(t *testing.T) *fleetRun {
	f := newFleetRun(t, "[[server]]\nname = \"srv1\"\naddress = \"10.9.0.4\"\n"+
		"[[generator]]\nname = \"gen1\"\n[[generator]]\nname = \"gen2\"\n", "ctl", "gen1", "gen2", "srv1")
	f.agent("gen1", "gen2", "srv1")
	return f
}

// begin starts dyno on the controller.
func (f *fleetRun) begin(args ...string) (*exec.Cmd, *logged) {
	f.t.Helper()
	c, l := f.command("ctl", args...), &logged{}
	f.divide(c, "ctl")
	c.Stdout, c.Stderr = l, l
	if err := c.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { c.Process.Kill() })
	return c, l
}

// trials waits until the record has that many trials.
func (f *fleetRun) trials(n int, l *logged, ended <-chan error) {
	f.t.Helper()
	for {
		data, _ := os.ReadFile(filepath.Join(f.out, record.TrialsFile))
		if bytes.Count(data, []byte("\n{\"trial\":")) >= n {
			return
		}
		select {
		case err := <-ended:
			f.t.Fatalf("the run ended before trial %d: %v\n%s\n%s", n, err, l, f.logs["srv1"])
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// downloaded fetches the packages of what a test builds on hosts that reach no network. It skips the test
// where this machine reaches none either.
func downloaded(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		fetch := exec.Command("go", "mod", "download")
		fetch.Dir = filepath.Join("../..", folder)
		if out, err := fetch.CombinedOutput(); err != nil {
			t.Skipf("no packages for %s: %v\n%s", folder, err, out)
		}
	}
}

// fleetEpochs is the number of epochs in runOnFleet, of eight trials each.
const fleetEpochs = 4

// runOnFleet: a comparison over four hosts records what one machine records, but for the hosts
// and the clocks; and it does so although a generator, the server and the controller are killed, each of which
// interrupts it.
func runOnFleet(t *testing.T) {
	downloaded(t, "contestants/go/fasthttp")
	f := newFour(t)
	args := []string{"run", "--contestants", "net-http,fasthttp", "--protocol", "sweep", "--epochs",
		fmt.Sprint(fleetEpochs), "--budget", "4m", "--seed", "15", "--controls", "none", "--connections", "8"}
	resume := []string{"run", "--resume", f.out, "--fleet", f.file}
	f.interrupted(10, "gen2", append(args, "--fleet", f.file, "--run-folder", f.out)...)
	f.interrupted(16, "srv1", resume...)
	f.interrupted(22, "", resume...)
	if out, err := f.command("ctl", "run", "--resume", f.out).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "--fleet FILE") {
		t.Errorf("a run of several machines goes on on one: %v, %s", err, out)
	}
	c, l := f.begin(resume...)
	if err := c.Wait(); err != nil && !strings.Contains(l.String(), busyMachine) {
		t.Fatalf("%v\n%s\n%s", err, l, f.logs["srv1"])
	}
	if out, err := f.command("ctl", "report", f.out, "--verbose").CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "srv1: ") || !strings.Contains(string(out), "\nGenerators: gen1 and gen2: ") {
		t.Errorf("the report names no hosts: %v\n%s", err, out)
	}
	run, err := record.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	f.judge(run)
	f.gone("at the end", 0, f.all()...)

	f.equal(run, f.alone(filepath.Join(t.TempDir(), "alone"), args))
}

// interrupted carries out a command until the record has that many trials, and then restarts the agent of a host, or
// kills the controller if host is "".
func (f *fleetRun) interrupted(trials int, host string, args ...string) {
	f.t.Helper()
	c, l := f.begin(args...)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	f.trials(trials, l, ended)
	if host == "" {
		c.Process.Signal(syscall.SIGKILL)
		<-ended
	} else {
		f.agent(host)
		<-ended
		for _, want := range []string{host + " was lost: its connection ended", "; the run is interrupted"} {
			if !strings.Contains(l.String(), want) {
				f.t.Errorf("it does not say %q: %s", want, l)
			}
		}
	}
	f.gone("after an interruption", 15*time.Second, f.names()...)
}

// alone begins a comparison on one machine.
func (f *fleetRun) alone(folder string, args []string) *record.Run {
	f.out = folder
	c, said := f.begin(append(args, "--run-folder", folder)...)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	f.trials(16, said, ended)
	c.Process.Signal(syscall.SIGINT)
	<-ended
	run, err := record.Open(folder)
	if err != nil {
		f.t.Fatal(err)
	}
	return run
}

// busyMachine is in the error of a run all of whose rounds other programs disturbed.
const busyMachine = "were discarded, because other programs"

// judge checks a run that was interrupted three times.
func (f *fleetRun) judge(run *record.Run) {
	t := f.t
	if h := run.Host; h.Name != "srv1" || len(h.Generators) != 2 || h.Generators[1].Name != "gen2" ||
		len(h.GeneratorCPUs) > 0 || len(h.Generators[0].ServerCPUs) > 0 {
		t.Errorf("%+v", h)
	}
	if run.End == nil || run.End.Reason == plan.Interrupted || len(run.Failures) > 0 ||
		len(plan.Epochs(run)) < fleetEpochs && run.End.Reason != string(plan.Budget) { // the machine is busy, or slow
		t.Fatalf("%+v, %+v, %d epochs", run.End, run.Failures, len(plan.Epochs(run)))
	}
	if len(run.Resumes) != 3 {
		t.Errorf("resumed %+v", run.Resumes)
	}
	seen := map[record.Key]bool{}
	for _, tr := range run.Trials {
		if seen[tr.Key] {
			t.Errorf("%+v is there twice", tr.Key)
		}
		seen[tr.Key] = true
		p := tr.Load.Parts
		if len(p) != 2 || p[0].Generator != "gen1" || p[0].Started+p[1].Started != tr.Load.Started || p[0].BoundNS <= 0 ||
			tr.Server.CPUNS == nil || tr.Generator.CPUNS == nil || tr.Server.PrivateBytes == nil {
			t.Fatalf("%+v: %+v, %+v", tr.Key, p, tr.Server)
		}
	}
}

// equal compares what the machines do not decide: the same contestants, verified alike, in the same order
// of trials with the same parameters.
func (f *fleetRun) equal(run, one *record.Run) {
	t := f.t
	for i := range one.Contestants {
		a, b := one.Contestants[i], run.Contestant(one.Contestants[i].Name)
		if b == nil || a.Sources != b.Sources || a.BinaryHash != b.BinaryHash || a.Version != b.Version ||
			a.HeaderBytes != b.HeaderBytes || !slices.Equal(a.Differs, b.Differs) {
			t.Errorf("on one machine %+v, on several %+v", a, b)
		}
	}
	order := func(r *record.Run) map[record.Key]string {
		all := map[record.Key]string{}
		for _, tr := range r.Trials {
			if tr.Round == 0 && tr.Attempt == 0 { // later ones follow from which rounds were taken again
				all[tr.Key] = fmt.Sprint(tr.Contestant, r.Plan.LevelOf(tr))
			}
		}
		return all
	}
	same, theirs := 0, order(one)
	for k, got := range order(run) {
		if want, ok := theirs[k]; ok {
			if same++; got != want {
				t.Errorf("%+v: %s on several machines, %s on one", k, got, want)
			}
		}
	}
	if same == 0 {
		t.Error("no trial has the same key on one machine and on several")
	}
}
