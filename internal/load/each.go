package load

import (
	"slices"

	"dyno/internal/record"
	"dyno/internal/scenario"
)

// eachMost is the largest number of requests in a mix whose figures are kept one by one, for each
// event loop: each takes some 20 kB.
const eachMost = 1000

// newEach returns room for the figures of each request in a mix; nil if only one has a weight, or
// if there are more than eachMost.
func newEach(s *scenario.Scenario) []record.Each {
	if s == nil || len(s.Requests) > eachMost {
		return nil
	}
	each, loaded := make([]record.Each, len(s.Requests)), 0
	for i := range s.Requests {
		if s.Requests[i].Weight > 0 {
			each[i].Latency = record.NewCoarseHistogram()
			loaded++
		}
	}
	if loaded < 2 {
		return nil
	}
	return each
}

// emptyEach returns room for the figures of the same requests; nil for none.
func emptyEach(each []record.Each) []record.Each {
	empty := slices.Clone(each)
	for i := range empty {
		if empty[i] = (record.Each{}); each[i].Latency != nil {
			empty[i].Latency = record.NewCoarseHistogram()
		}
	}
	return empty
}

// Answered counts a complete answer by its request, if requests are counted.
func (r *Recorder) Answered(a *Answer, k Kind, now int64) {
	if r.Each == nil {
		return
	}
	e, sent := &r.Each[a.Want.Index], a.Sent
	if k != OK {
		e.Failed++
		if r.Response != nil {
			censor(e, now-a.Due)
		}
		return
	}
	e.Succeeded++
	if r.Response != nil {
		sent = a.Due
	}
	e.Latency.Record(now - sent)
}

// Unanswered counts the scenario's request at index as one that will have no answer, if each
// request is counted.
func (r *Recorder) Unanswered(index int, due, sent, now int64) {
	if r.Each == nil {
		return
	}
	if r.Response != nil {
		sent = due
	}
	e := &r.Each[index]
	e.Unanswered++
	censor(e, now-sent)
}

// censor records how long a request without a right answer has waited, as a lower bound.
func censor(e *record.Each, ns int64) {
	e.Latency.Record(ns)
	e.Censored++
	e.CensoredFromNS = least(e.CensoredFromNS, max(ns, 1))
}

// mergeEach adds o's requests to r.
func (r *Recorder) mergeEach(o *Recorder) {
	for i := range o.Each {
		from, to := &o.Each[i], &r.Each[i]
		if from.Latency == nil {
			continue
		}
		to.Latency.Merge(from.Latency)
		to.Succeeded += from.Succeeded
		to.Failed += from.Failed
		to.Unanswered += from.Unanswered
		to.Censored += from.Censored
		to.CensoredFromNS = least(to.CensoredFromNS, from.CensoredFromNS)
	}
}
