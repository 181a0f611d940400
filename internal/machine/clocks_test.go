package machine

import (
	"math"
	"math/rand/v2"
	"testing"
)

// clock shows the true time, in ns, with an offset, at a rate that changes every second.
type clock struct {
	offset float64
	rates  []float64 // per second, minus 1
}

func (c *clock) shows(at float64) int64 {
	shown := c.offset
	for _, r := range c.rates {
		span := min(max(at, 0), 1e9)
		shown += span * (1 + r)
		at -= span
	}
	return int64(math.Floor(shown + at))
}

const seconds = 60

// drifting returns two clocks whose rates differ by at most most.
func drifting(rng *rand.Rand, most float64) (ours, theirs *clock) {
	ours, theirs = &clock{offset: rng.Float64() * 1e12}, &clock{offset: rng.Float64() * 1e15}
	for range seconds + 1 {
		r := (2*rng.Float64() - 1) * most / 2
		ours.rates = append(ours.rates, r)
		switch rng.IntN(3) {
		case 0: // the largest difference, for long
			theirs.rates = append(theirs.rates, -r)
		case 1:
			theirs.rates = append(theirs.rates, most/2)
		default:
			theirs.rates = append(theirs.rates, (2*rng.Float64()-1)*most/2)
		}
	}
	return ours, theirs
}

// delay draws a message delay: seldom short, sometimes very long.
func delay(rng *rand.Rand, least float64) float64 {
	return least + rng.ExpFloat64()*least*math.Pow(10, 3*rng.Float64())
}

// ping sends a message at the true time at; the two directions take times there and back.
func ping(rng *rand.Rand, ours, theirs *clock, at, there, back float64) (p Ping, end float64) {
	held := rng.Float64() * 1e6
	return Ping{ours.shows(at), theirs.shows(at + there), theirs.shows(at + there + held),
		ours.shows(at + there + held + back)}, at + there + held + back
}

// TestTheOffsetLiesWithinItsBound covers any delays, however different in the two directions, and any drift.
func TestTheOffsetLiesWithinItsBound(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ours, theirs := drifting(rng, Drift*0.999)
		// One direction may always take a hundred times as long as the other.
		there, back := math.Pow(10, 4+3*rng.Float64()), math.Pow(10, 4+3*rng.Float64())
		var o Other
		for now := rng.Float64() * 1e9; now < seconds*1e9*0.8; {
			p, end := ping(rng, ours, theirs, now, delay(rng, there), delay(rng, back))
			if err := o.Add(p); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for range 20 {
				at := end + rng.Float64()*1e10*rng.Float64()
				mine := ours.shows(at)
				got, bound := o.At(mine)
				want := theirs.shows(at) - mine
				if d := got - want; max(d, -d) > bound {
					t.Fatalf("seed %d: offset %d ± %d; it is %d", seed, got, bound, want)
				}
			}
			now = end + rng.Float64()*3e9
		}
	}
}

// TestTheShortestTripDecides: one short trip among many long ones bounds the offset by half of its length,
// plus the drift since.
func TestTheShortestTripDecides(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	ours, theirs := &clock{}, &clock{offset: 5e9}
	var o Other
	end := 0.
	for i := range 40 {
		there, back := 3e6+1e6*rng.Float64(), 50e3+1e6*rng.Float64()
		if i == 20 {
			there, back = 100e3, 60e3
		}
		var p Ping
		p, end = ping(rng, ours, theirs, end+1e6, there, back)
		if err := o.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	_, bound := o.At(ours.shows(end))
	if float64(bound) > 80e3+160e6*Drift || bound < 60e3 {
		t.Errorf("± %d", bound)
	}
	if _, later := o.At(ours.shows(end + 1e9)); later < bound+500e3 || later > bound+501e3 {
		t.Errorf("a second later ± %d; before ± %d", later, bound)
	}
}

func TestContradictionsAreErrors(t *testing.T) {
	for name, c := range map[string]struct {
		ping Ping
		ok   bool
	}{
		"like the first":        {Ping{2000e3, 3100e3, 3110e3, 2210e3}, true},
		"the clock was stepped": {Ping{2000e3, 9100e3, 9110e3, 2210e3}, false},
		"and back":              {Ping{2000e3, 1100e3, 1110e3, 2210e3}, false},
		"received before":       {Ping{200e3, 1300e3, 1310e3, 410e3}, false},
		"runs backwards":        {Ping{2000e3, 3100e3, 3090e3, 2210e3}, false},
		"so do we":              {Ping{2000e3, 3100e3, 3110e3, 1990e3}, false},
		"held for too long":     {Ping{2000e3, 3100e3, 3900e3, 2210e3}, false},
	} {
		var o Other
		if _, bound := o.At(5); bound != math.MaxInt64 {
			t.Fatal("the offset is known before a ping")
		}
		if err := o.Add(Ping{1000e3, 2100e3, 2110e3, 1210e3}); err != nil {
			t.Fatal(err)
		}
		before := o
		if err := o.Add(c.ping); (err == nil) != c.ok || err != nil && o != before {
			t.Errorf("%s: %v, %+v", name, err, o)
		}
	}
}

// TestStartsAreTranslated: agents that begin when their clocks show the given time begin within the bounds,
// and a late one is found.
func TestStartsAreTranslated(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		ours := &clock{}
		const agents = 5
		for range agents {
			_, theirs := drifting(rng, Drift*0.999)
			var o Other
			end := 0.
			for range 10 {
				var p Ping
				p, end = ping(rng, ours, theirs, end, delay(rng, 1e5), delay(rng, 1e5))
				if err := o.Add(p); err != nil {
					t.Fatal(err)
				}
			}
			mine := ours.shows(20e9)
			ahead, bound := o.At(mine)
			their := mine + ahead
			late := rng.Float64() * 1e5
			at := 0. // the true time when the agent's clock shows this
			for lo, hi := 0., 60e9; hi-lo > 0.5; at = hi {
				if mid := (lo + hi) / 2; theirs.shows(mid) < their {
					lo = mid
				} else {
					hi = mid
				}
				at = hi
			}
			at += late
			began := theirs.shows(at)
			off := max(began-their, their-began) + bound
			if d := math.Abs(at - 20e9); d > float64(off)*(1+Drift)+2 {
				t.Fatalf("seed %d: began %v ns off; the bound says %d", seed, d, off)
			}
		}
	}
}
