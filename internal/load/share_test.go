package load

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// TestSharesAreTheSchedule: whatever the number of generators and their event loops, their requests
// are due exactly when one machine with one loop sends them.
func TestSharesAreTheSchedule(t *testing.T) {
	if testing.Short() {
		t.Skip("draws millions of arrivals")
	}
	for name, shape := range shapes {
		for _, poisson := range []bool{false, true} {
			whole := &Schedule{Stages: shape.Stages, Poisson: poisson, Seed: 11}
			for _, limit := range []int64{0, 5, 100} {
				want := all(whole, 0, 1, limit, math.MaxInt)
				for n := 1; n <= 64; n++ {
					var got []int64
					for g := range n {
						w := Window{Schedule: whole, Requests: limit, For: whole.Length()}
						w, err := (&Job{Share: Share{g, n}}).Own(w)
						if err != nil {
							t.Fatal(err)
						}
						loops := 1 + (g+n)%5 // not alike
						for i := range loops {
							got = append(got, all(w.Schedule, i, loops, w.Requests, math.MaxInt)...)
						}
					}
					if slices.Sort(got); !slices.Equal(got, want) {
						t.Fatalf("%s, poisson %v, limit %d: %d generators have %d arrivals; the schedule has %d",
							name, poisson, limit, n, len(got), len(want))
					}
				}
			}
		}
	}
}

// TestEvenArrivalsAreDealtInTurn: arrival i belongs to generator i mod n.
func TestEvenArrivalsAreDealtInTurn(t *testing.T) {
	whole := shapes["up, on, down"]
	want := all(whole, 0, 1, 0, math.MaxInt)
	for n := 1; n <= 64; n++ {
		for g := range n {
			w, err := (&Job{Share: Share{g, n}}).Own(Window{Schedule: whole})
			if err != nil {
				t.Fatal(err)
			}
			for k, due := range all(w.Schedule, 0, 1, 0, math.MaxInt) {
				if i := g + k*n; due != want[i] {
					t.Fatalf("arrival %d of generator %d of %d is due at %d; want %d", k, g, n, due, want[i])
				}
			}
		}
	}
}

// TestGeneratorsOfRandomArrivalsArePoisson: each has its part of the rate, and a Poisson process's
// dispersion (see TestPoisson), whatever its event loops.
func TestGeneratorsOfRandomArrivalsArePoisson(t *testing.T) {
	if testing.Short() {
		t.Skip("draws millions of arrivals")
	}
	const seconds = 1000
	whole := &Schedule{Stages: []Stage{{seconds * time.Second, 300, 300}}, Poisson: true, Seed: 3}
	for _, n := range []int{2, 3, 10} {
		for g := range n {
			w, _ := (&Job{Share: Share{g, n}}).Own(Window{Schedule: whole})
			one, three := all(w.Schedule, 0, 1, 0, math.MaxInt), []int64{}
			for i := range 3 {
				three = append(three, all(w.Schedule, i, 3, 0, math.MaxInt)...)
			}
			if slices.Sort(three); !slices.Equal(one, three) {
				t.Errorf("generator %d of %d: with 3 loops another part of the schedule", g, n)
			}
			rate, counts := 300/float64(n), make([]float64, seconds)
			for _, due := range one {
				counts[due/1e9]++
			}
			mean, squares := float64(len(one))/seconds, 0.
			for _, c := range counts {
				squares += (c - mean) * (c - mean)
			}
			index := squares / (seconds - 1) / mean
			if math.Abs(mean-rate) > 4*math.Sqrt(rate/seconds) || math.Abs(index-1) > 4*math.Sqrt(2./(seconds-1)) {
				t.Errorf("generator %d of %d: %v per second, index of dispersion %v", g, n, mean, index)
			}
		}
	}
}

// TestSharesAreTheRequests: all generators' connections together draw the same requests as
// one machine's, and begin at the same times.
func TestSharesAreTheRequests(t *testing.T) {
	s := &scenario.Scenario{Requests: []scenario.Request{
		{Method: "GET", Path: "/a/{int:1..1000000}/{seq}", Weight: 3, Expect: scenario.Expect{Status: 200}},
		{Method: "GET", Path: "/b/{uuid}", Weight: 1, Expect: scenario.Expect{Status: 200}},
	}}
	type drawn struct {
		turn    int64
		request string
	}
	draw := func(share Share, into map[int][]drawn) {
		j := Job{Endpoint: wire.TCP("127.0.0.1:1"), Scenario: s, Seed: 5, Connections: 100, Share: share}
		mix, err := j.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		for i := range j.Connections {
			src, of := j.Source(mix, i), share.Index+i*max(share.Of, 1)
			for range 5 {
				var w scenario.Want
				into[of] = append(into[of], drawn{j.Turn(&Window{Spread: time.Minute}, i),
					string(src.Next(nil, &w))})
			}
		}
	}
	want := map[int][]drawn{}
	draw(Share{}, want)
	for n := 1; n <= 64; n++ {
		got := map[int][]drawn{}
		for g := range n {
			draw(Share{g, n}, got)
		}
		for i := range 100 {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%d generators: connection %d draws %v; want %v", n, i, got[i], want[i])
			}
		}
		if len(got) != 100 {
			t.Fatalf("%d generators have %d connections", n, len(got))
		}
	}
}

func TestPart(t *testing.T) {
	for n := range int64(200) {
		for of := 1; of <= 64; of++ {
			sum := int64(0)
			for i := range of {
				part := Share{i, of}.Part(n)
				if count := (n + int64(of) - 1 - int64(i)) / int64(of); part != count {
					t.Fatalf("share %d of %d has %d of %d", i, of, part, n)
				}
				sum += part
			}
			if sum != n {
				t.Fatalf("%d shares of %d have %d", of, n, sum)
			}
		}
	}
	if (Share{}).Part(7) != 7 || !(Share{}).Whole() || (Share{1, 4}).String() != "2/4" {
		t.Error("the zero value is not all, or a share has another name")
	}
}

func TestWrongShares(t *testing.T) {
	for _, s := range []Share{{-1, 2}, {2, 2}, {1, 0}, {0, -1}} {
		if s.Check() == nil {
			t.Errorf("%+v is a share", s)
		}
	}
	j := Job{Connections: 3, Share: Share{3, 4}}
	if err := j.take(); err == nil {
		t.Error("3 connections are enough for 4 generators")
	}
	if _, err := (&Job{Share: Share{1, 4}}).Own(Window{Requests: 1}); err == nil {
		t.Error("one request is enough for 4 generators")
	}
}

// BenchmarkArrivals shows the cost of one arrival in the whole schedule for one event loop among
// many, which draws the others' arrivals too.
func BenchmarkArrivals(b *testing.B) {
	for _, loops := range []int{1, 32, 320, 3200} {
		b.Run(strconv.Itoa(loops), func(b *testing.B) {
			a := (&Schedule{Stages: endless(1e6).Stages, Poisson: true, Seed: 1}).Arrivals(0, loops, 0)
			for b.Loop() {
				a.Next()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(a.next), "ns/arrival")
		})
	}
}
