package judge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/record"
)

// longOf makes four long loads, A B B A, with these requests per second.
func longOf(a, b string, perSec [4]float64) (out []*record.Trial) {
	for i, name := range []string{a, b, b, a} {
		cpu := int64(2e9)
		out = append(out, &record.Trial{Key: record.Key{Round: -1, Position: i}, Contestant: name,
			Server: record.Usage{CPUNS: &cpu},
			Load:   record.Load{WindowNS: 2e9, Succeeded: int64(2 * perSec[i]), ServiceP50NS: int64(125e9 / perSec[i])}})
	}
	return out
}

// A verdict that long loads contradict is withdrawn, for all speed metrics but only for that pair;
// differences within their own error, or within the known advantage of short loads, contradict
// nothing.
func TestLongLoads(t *testing.T) {
	short := func(slow float64) []*record.Trial { // a and c, then b
		trials := rising(1, 12, .02, nil, "a", "b", "c", "ref", "ref'")
		for i := range trials {
			if x := trials[i]; x.Contestant == "b" {
				x.Load.Succeeded = int64(float64(x.Load.Succeeded) / slow)
				x.Load.ServiceP50NS = int64(float64(x.Load.ServiceP50NS) * slow)
			}
		}
		return trials
	}
	const r = 50_000
	for name, c := range map[string]struct {
		slow        float64
		long        [4]float64
		contradicts bool
	}{
		"as in the trials":                {3.3, [4]float64{3.3 * r, r, r, 3.3 * r}, false},
		"as slow once its queue is full":  {3.3, [4]float64{2.1 * r, r, r, r}, true},
		"slower":                          {3.3, [4]float64{.9 * r, r, r, .9 * r}, true},
		"a small difference turned":       {1.05, [4]float64{.6 * r, r, r, .6 * r}, true},
		"turned within their error":       {1.05, [4]float64{.99 * r, r, r, .99 * r}, false},
		"what short loads favour":         {1.3, [4]float64{1.2 * r, r, r, 1.2 * r}, false},
		"the slower one does worse still": {1.3, [4]float64{2.6 * r, r, r, 2.6 * r}, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(short(c.slow), "a", "b", "c")
			before := Analyse(in)
			in.Long = longOf("a", "b", c.long)
			a := Analyse(in)
			if a.Long == nil || a.Long.Contradicts != c.contradicts || a.Long.Seconds != 2 ||
				!(a.Long.Ratio.Lo < a.Long.Ratio.Value && a.Long.Ratio.Value < a.Long.Ratio.Hi) {
				t.Fatalf("%+v", a.Long)
			}
			for i, p := range a.Pairs {
				was := before.Pairs[i]
				of := p.A == "a" && p.B == "b" && p.Metric != "memory"
				switch {
				case of && c.contradicts && (p.Verdict != Inconclusive || p.Better != "" || p.Note != a.Long.Words):
					t.Errorf("a verdict that does not hold: %+v", p)
				case (!of || !c.contradicts) && (p.Verdict != was.Verdict || p.Note != was.Note):
					t.Errorf("%+v; it was %+v", p, was)
				}
			}
			if c.contradicts && a.Places[0].Hi < 2 {
				t.Errorf("it leads all the same: %+v", a.Places)
			}
		})
	}
}

func TestLongLoadsAreWorded(t *testing.T) {
	in := input(rising(1, 12, .02, nil, "a", "b", "ref", "ref'"), "a", "b")
	in.Long = longOf("b", "a", [4]float64{100_000, 40_000, 40_000, 100_000})
	if w := Analyse(in).Long.Words; !strings.HasPrefix(w, "in loads of 2 s a serves 0.4 × the requests of b, in "+
		"short ones ") ||
		!strings.HasSuffix(w, "×: it may defer work until it is idle") {
		t.Errorf("%q", w)
	}
	in.Primary = "cpu_per_request"
	if w := Analyse(in).Long.Words; !strings.HasPrefix(w, "in loads of 2 s a uses 2.5 × the CPU per request of "+
		"b, in short") {
		t.Errorf("%q", w)
	}
	for _, few := range [][]*record.Trial{nil, in.Long[:3]} {
		if in.Long = few; Analyse(in).Long != nil {
			t.Errorf("judged by %d loads", len(few))
		}
	}
	in.Long = longOf("b", "a", [4]float64{1, 1, 1, 1})
	in.Long[1].Server.CPUNS = nil
	if a := Analyse(in); a.Long != nil || a.NoLong != "the loads of a have no figure of cpu_per_request" {
		t.Errorf("%+v, %q", a.Long, a.NoLong)
	}
	in.Primary, in.Trials = "throughput", rising(1, 1, .02, nil, "a", "b", "ref", "ref'")
	if a := Analyse(in); a.Long != nil || a.NoLong != "the trials compare b and a in fewer than two epochs" {
		t.Errorf("%+v, %q", a.Long, a.NoLong)
	}
}

// Long loads show nothing if their interval leaves room for the whole difference and for none.
func TestNoisyLongLoads(t *testing.T) {
	for name, c := range map[string]struct {
		slow, wander, long float64
		noisy              bool
	}{
		"1.5 × in much noise":        {1.5, 1, 1.2, true},
		"3.3 × in little":            {3.3, .05, 3.2, false},
		"all of it, but 1 is in":     {1.03, .05, 1.02, false},
		"in noise, but far from one": {3.3, .3, 3.3, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(rising(1, 12, .02, nil, "a", "b", "ref", "ref'"), "a", "b")
			rng := rand.New(rand.NewPCG(1, 2))
			epoch := map[int]float64{}
			for i := range in.Trials {
				x := in.Trials[i]
				if epoch[x.Epoch] == 0 {
					epoch[x.Epoch] = math.Exp(c.wander * rng.NormFloat64())
				}
				f := epoch[x.Epoch] * 50_000
				if x.Contestant == "b" {
					f /= c.slow
				}
				x.Load.Succeeded = int64(f * float64(x.Load.WindowNS) / 1e9 * (1 + .005*rng.NormFloat64()))
			}
			in.Long = longOf("a", "b", [4]float64{c.long * 50_000, 50_000, 50_000, c.long * 50_000})
			if x := Analyse(in).Long; x.Contradicts || x.Noisy != c.noisy {
				t.Errorf("%+v", x)
			}
		})
	}
}

// Long loads on honest servers, on a machine that drifts as in the trials, contradict in few runs.
func TestHonestLongLoads(t *testing.T) {
	const runs = 200
	wrong := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 7))
		in := input(rising(seed, 10, .02, nil, "a", "b", "ref", "ref'"), "a", "b")
		var perSec [4]float64
		for i := range perSec { // an epoch median's drift: 0.3 per round, over twelve
			perSec[i] = 50_000 * math.Exp(.3*1.25/math.Sqrt(12)*rng.NormFloat64())
		}
		in.Long = longOf("a", "b", perSec)
		if Analyse(in).Long.Contradicts {
			wrong++
		}
	}
	if wrong > runs/20 {
		t.Errorf("%d of %d", wrong, runs)
	}
}
