package loadtest

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// mixes are about the figures of each request of a mix.
var mixes = map[string]func(*testing.T, load.Engine){
	"each request": eachRequest, "each of one": eachOfOne, "each request cut short": eachCutShort,
}

// mixture has two requests under load and one that is not: /slow is answered 20 ms later than
// /quick.
func mixture() *scenario.Scenario {
	body := "value"
	e := scenario.Expect{Status: 200, Body: &body}
	return &scenario.Scenario{Name: "mixture", Requests: []scenario.Request{
		{Name: "verified", Method: "GET", Path: "/verified", Expect: e},
		{Name: "quick", Method: "GET", Path: "/quick", Weight: 3, Expect: e},
		{Name: "slow", Method: "GET", Path: "/slow", Weight: 1, Expect: e},
		{Name: "wrong", Method: "GET", Path: "/wrong", Weight: 1, Expect: e},
	}}
}

// byPath answers /slow late, /wrong wrongly and /mute not at all.
func byPath(p *peer) {
	for p.next() {
		switch {
		case strings.Contains(p.head[0], "/slow"):
			time.Sleep(20 * time.Millisecond)
		case strings.Contains(p.head[0], "/mute"):
			return
		case strings.Contains(p.head[0], "/wrong"):
			p.say(strings.Replace(value, "value", "VALUE", 1))
			continue
		}
		p.say(value)
	}
}

// eachRequest: the figures of the requests of a mix add up to those of the load, and tell a slow
// request from a quick one.
func eachRequest(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", byPath)
	j := job(s)
	j.Scenario = mixture()
	var d record.Detail
	l, err := open(t, e, j).Run(t.Context(), load.Window{Requests: 400, Observe: &load.Observe{
		Into: &d, Each: true, Every: 10 * time.Millisecond, Tick: func(record.Interval) {}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Each) != 4 || d.Each[0].Latency != nil {
		t.Fatalf("%d requests, and figures of one without a weight: %+v", len(d.Each), d.Each)
	}
	quick, slow, wrong := d.Each[1], d.Each[2], d.Each[3]
	if quick.Succeeded+slow.Succeeded != l.Succeeded || wrong.Failed != l.Failed || wrong.Succeeded != 0 {
		t.Errorf("the requests do not add up to the load: %+v, %+v", d.Each, l)
	}
	if quick.Succeeded <= slow.Succeeded {
		t.Errorf("%d quick and %d slow requests of weights 3 and 1", quick.Succeeded, slow.Succeeded)
	}
	if least := slow.Latency.Quantile(0); least < int64(19*time.Millisecond) {
		t.Errorf("a slow request took %v", time.Duration(least))
	}
	if quick.Latency.Count() != quick.Succeeded || wrong.Latency.Count() != 0 {
		t.Errorf("%d latencies of %d right answers, %d of wrong ones", quick.Latency.Count(), quick.Succeeded,
			wrong.Latency.Count())
	}
}

// eachOfOne: one request is the load itself, and nothing is kept twice.
func eachOfOne(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	var d record.Detail
	w := load.Window{Requests: 10, Observe: &load.Observe{Into: &d, Each: true}}
	if _, err := open(t, e, job(s)).Run(t.Context(), w); err != nil || d.Each != nil {
		t.Errorf("%v, %+v", err, d.Each)
	}
}

// eachCutShort: a request without an answer stands with what it had waited, as a lower bound.
func eachCutShort(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", byPath)
	j := job(s)
	j.Scenario = mixture()
	j.Scenario.Requests[3].Path = "/mute"
	var d record.Detail
	l, err := open(t, e, j).Run(t.Context(), load.Window{Requests: 100, Observe: &load.Observe{Into: &d, Each: true}})
	if err != nil {
		t.Fatal(err)
	}
	if mute := d.Each[3]; mute.Unanswered == 0 || mute.Unanswered != l.Errored()-l.Errors["dial"] ||
		mute.Censored != mute.Unanswered || mute.CensoredFromNS <= 0 {
		t.Errorf("%+v of %+v", mute, l.Errors)
	}
}
