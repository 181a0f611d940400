package report

import (
	"cmp"
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// eachShown is the number of requests of a mix that Text shows; JSON lists all.
const eachShown = 12

// eachRequest holds the figures for one request of a mix.
type eachRequest struct {
	name    string
	perSec  float64
	latency judge.Latencies
	record.Each
}

// each returns figures for the requests of a mix, in order; none if the load has only one request.
// A request's rate is the load's rate times its share of right answers.
func (s *Summary) each() (all []eachRequest) {
	for i, e := range s.Detail.Each {
		if e.Latency == nil {
			continue
		}
		all = append(all, eachRequest{
			name:    s.Names[i],
			perSec:  s.PerSec() * float64(e.Succeeded) / float64(max(s.Load.Succeeded, 1)),
			latency: judge.Latencies{H: e.Latency, Censored: e.Censored, From: e.CensoredFromNS}, Each: e,
		})
	}
	return all
}

// eachTable shows the requests of a mix; if there are many, the slowest.
func (s *Summary) eachTable() []document.Block {
	all := s.each()
	if len(all) == 0 {
		return nil
	}
	t := document.Table{Columns: columns("Requests of the mix ("+s.loop()+")", "req/s", "p50", "p99", "wrong",
		"no answer")}
	if n := len(all); n > eachShown {
		slices.SortStableFunc(all, func(a, b eachRequest) int {
			return -cmp.Or(cmp.Compare(a.latency.Quantile(.99).NS, b.latency.Quantile(.99).NS),
				cmp.Compare(a.latency.Quantile(.5).NS, b.latency.Quantile(.5).NS))
		})
		all = all[:eachShown]
		t.After = fmt.Sprintf("the %d slowest of %d; JSON lists all", eachShown, n)
	}
	for _, e := range all {
		t.Rows = append(t.Rows, cellsRow(e.name, document.Short(e.perSec), timeText(e.latency.Quantile(.5)),
			timeText(e.latency.Quantile(.99)), document.Whole(e.Failed), document.Whole(e.Unanswered)))
	}
	return []document.Block{t}
}

// eachJSON is one request of a mix in JSON.
type eachJSON struct {
	Name           string  `json:"name"`
	RequestsPerSec float64 `json:"requests_per_sec"`
	Succeeded      int64   `json:"succeeded"`
	Failed         int64   `json:"failed"`
	Unanswered     int64   `json:"unanswered"`
	Latency        times   `json:"latency,omitempty"`
}

func (s *Summary) eachOfJSON() (list []eachJSON) {
	for _, e := range s.each() {
		list = append(list, eachJSON{e.name, round(e.perSec), e.Succeeded, e.Failed, e.Unanswered, timesOf(e.latency)})
	}
	return list
}
