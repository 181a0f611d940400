package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The hog takes either CPU, for 0.5 to 3.5 s at a time, a quarter of the time.
func TestBursts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	var rest, busy time.Duration
	on := map[int]int{}
	const n = 4000
	for range n {
		b := drawBurst(rng, []int{0, 3})
		if b.busy < time.Second/2 || b.busy > 7*time.Second/2 || b.rest < 2*time.Second {
			t.Fatalf("%+v", b)
		}
		rest, busy = rest+b.rest, busy+b.busy
		on[b.cpu]++
	}
	if share := float64(busy) / float64(rest+busy); share < .24 || share > .26 || on[0] < n/3 || on[3] < n/3 {
		t.Errorf("busy %.3f of the time, on %v", share, on)
	}
}

func TestCostsIn(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "logs", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("ref-epoch0.log", `{"sampled":0,"p50_ns":0}`+"\n"+`{"sampled":9,"p50_ns":50,"own_ns":10000}`+"\n")
	write("ref-epoch1.log", `{"sampled":9,"p50_ns":60,"own_ns":12000}`+"\n")
	three := []string{"ref", "ref+5%", "ref+10%"}
	write("ref_10_-epoch1.log", `{"sampled":9,"p50_ns":1455,"own_ns":13200}`+"\n")
	if told, err := costsIn(dir, three); err == nil {
		t.Errorf("one of them said nothing, and yet they cost %v", told)
	}
	write("ref_5_-epoch0.log", `{"sampled":9,"p50_ns":700}`+"\n")
	told, err := costsIn(dir, three)
	if err != nil || len(told) != 3 || told[0] != (Cost{}) || told[1] != (Cost{AddedNS: 645}) ||
		told[2].AddedNS != 1400 || math.Abs(told[2].Own-.1) > 1e-9 {
		t.Errorf("%v, %v", told, err)
	}
	write("ref_5_-epoch1.log", "killed\n")
	if told, err := costsIn(dir, three); err == nil {
		t.Errorf("a log that says nothing, and yet they cost %v", told)
	}
}
