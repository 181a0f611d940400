package judge

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
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
	{"V37", Pass, generators(2, nil)},
	{"V37", Pass, generators(3, func(i, n int, p *record.LoadPart) { p.ServiceP50NS += int64(n) * 20e3 })},
	{"V37", Warn, generators(2, func(i, n int, p *record.LoadPart) { p.ServiceP50NS += int64(n) * 200e3 })},
	{"V37", Fail, generators(4, func(i, n int, p *record.LoadPart) { p.ServiceP50NS += int64(n) / 3 * 800e3 })},
	{"V37", Warn, generators(3, func(i, n int, p *record.LoadPart) { p.Connections += n / 2 })},
	{"V37", CannotTell, generators(2, func(i, n int, p *record.LoadPart) { // now one, now the other
		p.ServiceP50NS += int64((i+n)%2) * 900e3
	})},
	{"V37", CannotTell, func(e *Evidence) {
		generators(2, func(i, n int, p *record.LoadPart) { p.ServiceP50NS += int64(n) * 800e3 })(e)
		onlyEpochs(1)(e)
		onlyRounds(3)(e)
	}},
	{"V37", Warn, generators(3, func(i, n int, p *record.LoadPart) { p.Succeeded -= int64(n) / 2 * int64(i%4) })},
	{"V37", Pass, generators(3, func(i, n int, p *record.LoadPart) { p.Succeeded -= int64(i % 4) })}, // all alike
	{"V37", Pass, generators(3, func(i, n int, p *record.LoadPart) { // a burst
		p.Succeeded -= when64(i == 70 && n == 1, 90)
	})},
	{"V38", Pass, generators(2, nil)},
	{"V38", Warn, generators(2, func(i, n int, p *record.LoadPart) { p.ClockNS += int64(n) * p.AtNS * 200 / 1e6 })},
	{"V38", Fail, generators(2, func(i, n int, p *record.LoadPart) { p.ClockNS -= int64(n) * p.AtNS * 600 / 1e6 })},
	// a step
	{"V38", Fail, generators(2, func(i, n int, p *record.LoadPart) { p.ClockNS += when64(i > 200 && n == 1, 3e6) })},
	{"V38", Pass, generators(2, func(i, n int, p *record.LoadPart) { // an agent that was started anew
		if i > 200 && n == 1 {
			p.ClockNS, p.Session = p.ClockNS-50e9, "other"
		}
	})},
	{"V38", CannotTell, func(e *Evidence) {
		generators(2, nil)(e)
		e.Run.Trials = e.Run.Trials[:3]
	}},
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
					ServiceP50NS: 1e6 + rng.Int64N(40e3), BoundNS: 100e3, AtNS: t.StartedUnixNS, Session: "one"}
				p.Succeeded, p.ClockNS = p.Started, p.AtNS+int64(k)*7e9+rng.Int64N(100e3)
				if spoil != nil {
					spoil(i, k, &p)
				}
				t.Load.Parts = append(t.Load.Parts, p)
			}
		}
		e.Run.Trials = e.Valid
	}
}

func when64(condition bool, n float64) int64 { return int64(when(condition, n)) }

// The generator that stands apart is named: of two the worse one, of more the one that differs.
func TestNamesTheGenerator(t *testing.T) {
	for want, spoil := range map[string]func(*Evidence){
		`the median service time of gen2 is 1\.\d\d × that of gen1 \(1\.\d\d–1\.\d\d\)`: generators(2,
			slower(1, 600e3)),
		`the median service time of gen1 is 1\.\d\d × that of gen2 \(1\.\d\d–1\.\d\d\)`: generators(2,
			slower(0, 600e3)),
		`the median service time of gen3 is 0\.5\d × that of the others \(0\.5\d–0\.5\d\)`: generators(4,
			slower(2, -500e3)),
		`gen2 had no right answer to 144 of \d+,\d+ requests, the others to 0`: generators(2,
			func(i, k int, p *record.LoadPart) { p.Succeeded -= int64(k) }),
		`the clock of gen1 ran 6\d\d ppm`: generators(2, func(i, k int, p *record.LoadPart) {
			p.ClockNS += when64(k == 0, float64(p.AtNS)*600e-6)
		}),
	} {
		e := sound()
		spoil(e)
		found := Make(e)
		if !slices.ContainsFunc(found, func(f Finding) bool {
			return f.State >= Warn && regexp.MustCompile("^"+want).MatchString(f.Text)
		}) {
			t.Errorf("no %q in %+v", want, found)
		}
	}
}

func slower(which int, ns float64) func(i, k int, p *record.LoadPart) {
	return func(_, k int, p *record.LoadPart) { p.ServiceP50NS += when64(k == which, ns) }
}

// Generators that are alike, but for noise of a third in each window, are hardly ever told apart.
func TestLikeGeneratorsAreAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range 200 {
		e := sound()
		onlyEpochs(4)(e)
		generators(3, func(_, _ int, p *record.LoadPart) {
			p.ServiceP50NS = int64(float64(p.ServiceP50NS) * math.Exp(.33*rng.NormFloat64()))
		})(e)
		if c := ByID(Alike); c.find(c, e)[0].State >= Warn {
			wrong++
		}
	}
	if wrong > 6 { // 1 % is 2; of more than 6 the chance is 1 in 200
		t.Errorf("in %d of 200 runs one of three like generators stands apart", wrong)
	}
}
