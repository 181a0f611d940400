package judge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/record"
)

// ofSeveral are the provocations of loads by several machines.
var ofSeveral = []provocation{
	{"V01", Warn, func(e *Evidence) { // one of two, of which each had half of the CPU time
		generators(2, func(i, n int, p *record.LoadPart) { p.LoopCPUNS, p.Workers = 1e7+33e7*int64(n), 1 })(e)
		trials(func(t *record.Trial) { t.Causes.GeneratorCPUs, t.Load.Workers = 2, 2 })(e)
	}},
	{"V04", Pass, machines(0, 0)}, {"V04", Pass, machines(3e7, 0)}, {"V04", Warn, machines(5e7, 0)}, // each a third
	{"V05", Pass, machines(0, 1e6)}, {"V05", Pass, machines(0, 5e6)}, {"V05", Warn, machines(0, 2e7)},
	{"V31", Pass, hosts([]int{0}, []int{1})},
	{"V31", Fail, hosts([]int{0, 1}, []int{1})},
}

// machines lets background CPU and steal be those of one of three generators' machines, the last.
func machines(background, steal int64) func(*Evidence) {
	return trials(func(t *record.Trial) {
		t.Causes.GeneratorCPUs, t.Causes.BackgroundGeneratorNS, t.Causes.StealNS = 3, background, steal
		for _, name := range []string{"srv1", "gen1", "gen2", "gen3"} {
			t.Causes.Machines = append(t.Causes.Machines, record.MachineCauses{Machine: name, CPUs: 1,
				Generator: name != "srv1"})
		}
		t.Causes.Machines[3].BackgroundNS, t.Causes.Machines[3].StealNS = background, steal
	})
}

// hosts are two on one machine.
func hosts(server, generator []int) func(*Evidence) {
	return func(e *Evidence) {
		e.Run.Host = record.Host{Name: "srv1", BootID: "b", Pinned: true, ServerCPUs: server,
			Generators: []record.Host{{Name: "gen1", BootID: "b", GeneratorCPUs: generator}}}
	}
}

// A busy machine among the generators disturbs loads, however many they are, and is named.
func TestBusyMachineIsNamed(t *testing.T) {
	e := sound()
	machines(5e7, 2e7)(e)
	if !Disturbed(e.Valid[:3]) {
		t.Error("other programs used an eighth of a generator's CPUs, and they are not disturbed")
	}
	var texts []string
	for _, f := range Make(e) {
		texts = append(texts, f.Text)
	}
	for _, want := range []string{"other programs used 12.5 % of gen3's CPUs; ", "the hypervisor withheld 5 % of " +
		"gen3's CPU time"} {
		if !strings.Contains(strings.Join(texts, "\n"), want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
}

// generators divides every load among n like generators; spoil changes the part of the k-th in trial i.
func generators(n int, spoil func(i, k int, p *record.LoadPart)) func(*Evidence) {
	return func(e *Evidence) {
		rng := rand.New(rand.NewPCG(37, 38))
		for i := range e.Valid {
			t := e.Valid[i]
			t.Load.Parts = nil
			for k := range n {
				p := record.LoadPart{Generator: "gen" + string(rune('1'+k)), Connections: 4, Started: t.Load.Started / int64(n),
					ServiceP50NS: 1e6 + rng.Int64N(40e3), BoundNS: 100e3}
				p.Succeeded = p.Started
				if spoil != nil {
					spoil(i, k, &p)
				}
				t.Load.Parts = append(t.Load.Parts, p)
			}
		}
		e.Run.Trials = e.Valid
	}
}
