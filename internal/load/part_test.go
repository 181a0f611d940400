package load

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/record"
)

// observed is one event in a window, with times from its start.
type observed struct {
	kind           int
	due, sent, now int64
	status, index  int
}

// made draws events, in the order of their ends.
func made(rng *rand.Rand, n int) (all []observed) {
	at := int64(0)
	for range n {
		at += rng.Int64N(2_000_000)
		sent := max(at-rng.Int64N(30_000_000), 0)
		all = append(all, observed{rng.IntN(20), max(sent-rng.Int64N(5_000_000), 0), sent, at,
			[]int{200, 200, 200, 404, 503}[rng.IntN(5)], rng.IntN(3)})
	}
	return all
}

var suite = record.TLSSession{Version: "TLS 1.3", Suite: "TLS_AES_128_GCM_SHA256"}

// note records o with r, whose clock shows start at the window's beginning.
func (o observed) note(r *Recorder, start int64) {
	due, sent, now := o.due+start, o.sent+start, o.now+start
	switch o.kind {
	case 0:
		r.Never(due, now)
		r.Planned++
		return
	case 1:
		r.Undial(Dial, due, now)
		r.Planned++
		return
	case 2:
		r.Shaken(now-sent, o.index > 0)
		r.Encrypted(suite)
		r.Connect.Record(now - sent)
		return
	case 3:
		r.CPUNS, r.SpunNS, r.RunQueueNS = r.CPUNS+o.now, r.SpunNS+o.due, r.RunQueueNS+o.index2()
		r.GapNS, r.BacklogPeak = max(r.GapNS, o.now-o.sent), max(r.BacklogPeak, int64(o.index))
		r.StarvedNS, r.UnevenNS, r.Unnotified = r.StarvedNS+o.due, r.UnevenNS+o.due/2, r.Unnotified+1
		r.BytesRead, r.BytesWritten = r.BytesRead+o.now, r.BytesWritten+o.due
		return
	}
	r.Planned++
	r.Sent(1, sent)
	r.Late(due, sent)
	e := &r.Each[o.index]
	switch o.kind {
	case 4:
		r.Broken(Timeout, due, sent, now)
		r.Unanswered(o.index, due, sent, now)
	case 5:
		r.Flying(due, sent, now)
	case 6:
		r.Done(Body, o.status, due, sent, now)
		e.Failed++
		censor(e, now-due)
	case 7:
		r.Done(OK, 200, due, sent, sent+2*record.Highest) // beyond the range
	default:
		r.FirstByte.Record((now - sent) / 2)
		r.Done(OK, 200, due, sent, now)
		e.Succeeded++
		e.Latency.Record(now - due)
	}
}

func (o observed) index2() int64 { return int64(o.index) * 1000 }

// playPart plays a generator's observations, dealt out to its event loops in turn. heard is when its
// last connection had an answer.
func playPart(t *testing.T, share Share, all []observed, start int64, loops int, heard int64) *Part {
	t.Helper()
	w := Window{For: 10 * time.Second, Schedule: &Schedule{Stages: []Stage{{10 * time.Second, 100, 100}}, Poisson: true}}
	job := Job{Connections: 64, Share: share}
	if err := job.take(); err != nil {
		t.Fatal(err)
	}
	w, err := job.Own(w)
	if err != nil {
		t.Fatal(err)
	}
	p := &Part{Share: share}
	d := &record.Detail{}
	w.Observe = &Observe{Into: d, Part: p}
	ledger := NewLedger(&w, &job, loops)
	edge := NewEdge(&w, &job, loops, start, w.Deadline(start))
	recorders := make([]*Recorder, loops)
	for i := range recorders {
		r := ledger.Take()
		r.Each = make([]record.Each, 3)
		for k := range r.Each {
			r.Each[k].Latency = record.NewCoarseHistogram()
		}
		recorders[i] = r
		r.Begin(edge)
	}
	ledger.total.Each = make([]record.Each, 3)
	for k := range ledger.total.Each {
		ledger.total.Each[k].Latency = record.NewCoarseHistogram()
	}
	edge.Heard(1, OK, start, start+heard)
	for i, o := range all {
		o.note(recorders[i%loops], start)
	}
	for i, r := range recorders {
		ledger.End(i, 0, r)
	}
	p.Load = ledger.Close(start + 12e9)
	spin := true
	p.Load.Connections, p.Load.Established, p.Load.Workers, p.Load.Spin = job.Connections, job.Connections, 1, &spin
	return p
}

// exact compares histograms by all their contents.
var exact = cmp.Comparer(func(a, b *record.Histogram) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, err := a.MarshalText()
	y, err2 := b.MarshalText()
	return err == nil && err2 == nil && string(x) == string(y)
})

// TestMergedPartsAreOneRecorders: n generators' records of a load, each on its own clock and with
// its own event loops, merge to one recorder's record of the whole load, bit for bit.
func TestMergedPartsAreOneRecorders(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many loads")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const heard = 100e6
	all := made(rng, 4000)
	one, oneDetail, err := MergeParts([]*Part{playPart(t, Share{}, all, 77, 1, heard)})
	if err != nil {
		t.Fatal(err)
	}
	if one.RateFromNS != 1 || one.Failed == 0 || one.Errored() == 0 || one.InFlight == 0 || one.NeverStarted == 0 ||
		one.Handshakes == 0 || oneDetail.Service.Over() == 0 || oneDetail.Wrong == nil || one.RateSamples == 0 {
		t.Fatalf("the test shows little: %+v", one)
	}
	for _, n := range []int{1, 2, 3, 4, 7, 16, 64} {
		parts := make([]*Part, n)
		for g := range n {
			var own []observed
			for i, o := range all {
				if i%n == g {
					own = append(own, o)
				}
			}
			p := playPart(t, Share{g, n}, own, rng.Int64N(1e15), 1+g%3, heard)
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			parts[g] = new(Part)
			if err := json.Unmarshal(text, parts[g]); err != nil {
				t.Fatal(err)
			}
		}
		rng.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		l, d, err := MergeParts(parts)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(l.RateAnswers-one.RateAnswers) > 0.001 { // a sum in another order, rounded
			t.Errorf("%d generators: %v answers; one has %v", n, l.RateAnswers, one.RateAnswers)
		}
		if l.Workers != n {
			t.Errorf("%d generators: %d event loops", n, l.Workers)
		}
		l.RateAnswers, l.Workers, l.Pace = one.RateAnswers, one.Workers, one.Pace
		if diff := cmp.Diff(one, l); diff != "" {
			t.Fatalf("%d generators: %s", n, diff)
		}
		if diff := cmp.Diff(oneDetail, d, exact); diff != "" {
			t.Fatalf("%d generators: %s", n, diff)
		}
	}
}

// TestMergedRateIsTheSum: generators are steady at different times.
func TestMergedRateIsTheSum(t *testing.T) {
	parts := []*Part{playPart(t, Share{0, 2}, nil, 0, 1, 0), playPart(t, Share{1, 2}, nil, 0, 1, 0)}
	for _, p := range parts {
		p.Rec.Counts[OK] = 1500
	}
	parts[0].Answers, parts[0].Load.RateNS, parts[0].Load.RateFromNS = 900, 9e9, 1e9
	parts[1].Answers, parts[1].Load.RateNS, parts[1].Load.RateFromNS = 1600, 8e9, 1.5e9
	l, _, err := MergeParts(parts)
	if err != nil {
		t.Fatal(err)
	}
	if l.RateFromNS != 1.5e9 || l.RateNS != 8e9 || l.RateAnswers != 2400 {
		t.Errorf("%v answers in %d ns from %d", l.RateAnswers, l.RateNS, l.RateFromNS)
	}
	parts[1].Load.RateFromNS, parts[1].Load.RateNS, parts[1].Answers = 0, 9e9, 1800 // it is not steady
	if l, _, _ = MergeParts(parts); l.RateFromNS != 0 || l.RateAnswers != 2400 || l.RateNS != 8e9 {
		t.Errorf("not steady: %v answers in %d ns from %d", l.RateAnswers, l.RateNS, l.RateFromNS)
	}
}

func TestPartsMustBeAll(t *testing.T) {
	part := func(i, of int) *Part { return playPart(t, Share{i, of}, nil, 0, 1, 0) }
	for want, parts := range map[string][]*Part{
		"there is none": nil, "share 1/2 among 1": {part(0, 2)}, "share 2/2 is there twice": {part(1, 2), part(1, 2)},
		"share 1/3 among 2": {part(0, 3), part(1, 3)},
	} {
		if _, _, err := MergeParts(parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	other := part(1, 2)
	other.Rec.Response = nil
	if _, _, err := MergeParts([]*Part{part(0, 2), other}); err == nil {
		t.Error("a closed loop and an open one are one load")
	}
	other = part(1, 2)
	other.Rec.Each[1].Latency = nil
	if _, _, err := MergeParts([]*Part{part(0, 2), other}); err == nil {
		t.Error("loads of other requests are one load")
	}
	for _, text := range []string{"{}", "[]", `{"share":{"Index":3,"Of":2}}`, `{"Rec":{"Service":null}}`, `{"Rec":{"Service":"","Slices":{"Counts":[1]}}}`} {
		if err := json.Unmarshal([]byte(text), new(Part)); err == nil {
			t.Errorf("%s is a part", text)
		}
	}
}

// BenchmarkMergeParts shows the cost of one more generator's result for the merging machine:
// reading and adding it.
func BenchmarkMergeParts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &testing.T{}
	parts, bytes := make([]*Part, 16), 0
	text := make([][]byte, len(parts))
	for g := range parts {
		parts[g] = playPart(t, Share{g, len(parts)}, made(rng, 20_000), 0, 1, 0)
		text[g], _ = json.Marshal(parts[g])
		bytes += len(text[g])
	}
	b.Run("read", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := json.Unmarshal(text[i%len(text)], new(Part)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(bytes)/float64(len(text)), "bytes/part")
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := MergeParts(parts); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(parts)), "ns/part")
	})
}
