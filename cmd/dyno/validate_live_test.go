package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The hog takes either CPU, for 0.5 to 3.5 s, a quarter of the time.
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

func TestAddedIn(t *testing.T) {
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
	write("ref-epoch0.log", `{"sampled":0,"p50_ns":0}`+"\n"+`{"sampled":9,"p50_ns":50}`+"\n")
	write("ref-epoch1.log", `{"sampled":9,"p50_ns":60}`+"\n")
	two := [2]string{"ref", "ref+5%"}
	if ns, err := addedIn(dir, two); err == nil {
		t.Errorf("one of the two said nothing, and yet it added %v", ns)
	}
	write("ref_5_-epoch0.log", `{"sampled":9,"p50_ns":700}`+"\n")
	if ns, err := addedIn(dir, two); err != nil || ns != 645 {
		t.Errorf("%v, %v", ns, err)
	}
	write("ref_5_-epoch1.log", "killed\n")
	if ns, err := addedIn(dir, two); err == nil {
		t.Errorf("a log that says nothing, and yet it added %v", ns)
	}
}
