package alike

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// passing are headers that an honest server may send with one answer and omit from the next: they
// describe the connection, the framing, or the answer's way through caches and proxies. Each header
// with "cache" in its name, except Cache-Control, belongs to them, too.
var passing = []string{"age", "alt-svc", "connection", "content-length", "keep-alive", "proxy-connection",
	"retry-after", "server-timing", "te", "trailer", "transfer-encoding", "upgrade", "via", "warning"}

// lasting reports whether a header must be in all answers to a request or in none. In answers to
// HEAD, Content-Length is work, not framing.
func lasting(name string, toHead bool) bool {
	if name == "cache-control" || name == "content-length" && toHead {
		return true
	}
	return !slices.Contains(passing, name) && !strings.Contains(name, "cache")
}

// headDifferences returns how header section b differs from a, both from the same side: in the status, fields
// that describe the body, in the Content-Length for HEAD, and by each lasting header that b lacks.
// An additional header is no difference: servers mark a few answers, for example for tracing.
func headDifferences(a, b *wire.Response, toHead bool) (all []difference) {
	add := func(what, x, y string) {
		if !slices.ContainsFunc(all, func(d difference) bool { return d.what == what }) {
			all = append(all, difference{what: what, a: shown(x), b: shown(y)})
		}
	}
	all = statusDifference(a, b)
	described(a, b, add)
	if x, y := value(a, "content-length"), value(b, "content-length"); toHead && x != "" && y != "" && x != y {
		add("header:content-length", x, y)
	}
	for _, f := range a.Fields {
		name := strings.ToLower(f.Name)
		if _, both := b.Get(name); !both && lasting(name, toHead) && name != "content-type" {
			add("header:"+name, "sent", "not sent")
		}
	}
	return all
}

func value(r *wire.Response, name string) string {
	v, _ := r.Get(name)
	return v
}

func toHead(a *scenario.Answer) bool { return strings.HasPrefix(a.Sent, "HEAD ") }

// unlikeHead returns how got's header section differs from an answer that the same side sent before
// the load. Differences that varied before the load or that --differ accepts are left out.
func (j *juror) unlikeHead(e *evidence, before *scenario.Answer, got *wire.Response) []difference {
	return slices.DeleteFunc(headDifferences(before.Response, got, toHead(before)), func(d difference) bool {
		return e.side.varies[before.Index].excuses(&d) || j.sides.Allowed.excuses(&d) != ""
	})
}

// client reports whether the load's client, unlike Ask's, sends received cookies back.
func (j *juror) client() bool { return j.contract.Session != "" || j.contract.Cookies }

// learnHeads compares a side's sampled header sections with its first answers before the load,
// unless the client keeps cookies.
func (j *juror) learnHeads(e *evidence) {
	e.unlike, e.counts = make([][]difference, len(e.heads)), map[int]map[string]int{}
	for i := range e.heads {
		x := &e.heads[i]
		first := e.first(x.Index)
		if first == nil || !j.accepted(x) || j.client() {
			continue
		}
		j.out[e.name].Heads++
		if e.counts[x.Index] == nil {
			e.counts[x.Index] = map[string]int{}
		}
		e.counts[x.Index][""]++
		e.unlike[i] = j.unlikeHead(e, first, &wire.Response{Fields: x.Fields})
		for _, d := range e.unlike[i] {
			e.counts[x.Index][d.what]++
		}
	}
}

// mostAgain limits how many sampled requests a check sends once more.
const mostAgain = 64

// headers judges a side's sampled header sections. They must be as before the load or, for another
// draw, as the side answers the same draw now; and the side must answer Ask's requests now as it
// did then. If requests change state, a header may depend on stored data: then only a header that
// every answer lacks, or that lost finds, is wrong.
func (j *juror) headers(e *evidence) error {
	wrong := func(when, sent string, d *difference, then string) error {
		return fmt.Errorf("%s it answered %s with %s: %s; %s: %s", when, sent, d.name(), d.b, then, d.a)
	}
	var drawn []load.Sampled
	for i := range e.heads {
		x := &e.heads[i]
		for k := range e.unlike[i] {
			d, first, n := &e.unlike[i][k], e.first(x.Index), e.counts[x.Index]
			everyone := (d.b == "not sent" || d.b == "none") && n[d.what] == n[""] && n[""] >= fewestRepeated
			switch {
			case first.Drawn && !j.sides.stateful:
				if len(drawn) == 0 || drawn[len(drawn)-1].Mark != x.Mark {
					drawn = append(drawn, *x)
				}
			case (everyone || !j.sides.stateful) && !j.elsewhereHead(e.name, x.Index, d.what):
				return wrong("under load", first.Sent, d, "before the load")
			}
		}
	}
	if err := j.lost(e); err != nil || len(e.heads) == 0 || j.sides.stateful {
		return err
	}
	drawn = some(drawn, mostAgain)
	if len(drawn) > 0 {
		now, err := j.again(e.name, marksOf(drawn))
		if err != nil {
			return fmt.Errorf("asked once more after the load: %w", err)
		}
		for i := range drawn {
			if all := j.unlikeHead(e, &now[i], &wire.Response{Fields: drawn[i].Fields}); len(all) > 0 {
				return wrong("under load", now[i].Sent, &all[0], "asked once more")
			}
		}
	}
	now, err := j.again(e.name, nil)
	if err != nil {
		return fmt.Errorf("asked once more after the load: %w", err)
	}
	for k := range min(len(now), len(e.answers[0])) {
		before := &e.answers[0][k]
		for _, d := range j.unlikeHead(e, before, now[k].Response) {
			if before.Drawn || !j.elsewhereHead(e.name, before.Index, d.what) {
				return wrong("after the load", before.Sent, &d, "before the load")
			}
		}
	}
	return nil
}

// drawnHeads compares sampled header sections with the next side's answers to the same draws now,
// in fields that describe the body and, if all were alike before the load, in the length for HEAD.
// A side is wrong if it answers differently now; if neither contradicts itself, nothing tells which
// is right.
func (j *juror) drawnHeads(e *evidence) {
	other := j.names[(slices.Index(j.names, e.name)+1)%len(j.names)]
	all := some(slices.DeleteFunc(slices.Clone(e.heads), func(x load.Sampled) bool {
		first := e.first(x.Index)
		return first == nil || !first.Drawn || !j.accepted(&x)
	}), mostAgain)
	if len(all) == 0 || j.sides.stateful || other == e.name || j.out[e.name].Wrong != nil || j.out[other].Wrong != nil {
		return
	}
	theirs, err := j.again(other, marksOf(all))
	if err != nil {
		j.blame(other, fmt.Errorf("while it got the requests that others had under load: %w", err))
		return
	}
	for i := range all {
		index, y, x := all[i].Index, &theirs[i], &wire.Response{Status: all[i].Status, Fields: all[i].Fields}
		for _, d := range headDifferences(y.Response, x, toHead(y)) {
			if d.b == "not sent" || d.what == "header:content-length" && !j.sameLengths(e.side, j.all[other].side, index) ||
				e.side.varies[index].excuses(&d) || j.all[other].side.varies[index].excuses(&d) ||
				j.sides.Allowed.excuses(&d) != "" {
				continue
			}
			j.blame(e.name, fmt.Errorf("under load it answered %s with %s: %s; %s answers: %s", y.Sent, d.name(), d.b,
				other, d.a))
			now, err := j.again(e.name, marksOf(all[i:i+1]))
			if err == nil && !slices.ContainsFunc(headDifferences(x, now[0].Response, toHead(y)),
				func(own difference) bool { return own.what == d.what }) {
				j.blame(other, fmt.Errorf("it answers %s with %s: %s; %s answers: %s; nothing tells which is right",
					y.Sent, d.name(), d.a, e.name, d.b))
			}
			return
		}
	}
}

// sameLengths reports whether two sides gave the same Content-Length in answers to a HEAD request
// before the load.
func (j *juror) sameLengths(a, b *side, index int) bool {
	for k := range a.answers[0] {
		if x, y := &a.answers[0][k], &b.answers[0][k]; x.Index == index &&
			value(x.Response, "content-length") != value(y.Response, "content-length") {
			return false
		}
	}
	return true
}

// carried returns an answer's lasting headers, by name in lower case, and a cookie as "set-cookie
// NAME".
func carried(fields []wire.Field, toHead bool) map[string]bool {
	all := map[string]bool{}
	for _, f := range fields {
		if name := strings.ToLower(f.Name); name == "set-cookie" {
			cookie, _, _ := strings.Cut(f.Value, "=")
			all[name+" "+strings.TrimSpace(cookie)] = true
		} else if lasting(name, toHead) {
			all[name] = true
		}
	}
	return all
}

// always returns the headers that were in every answer from a side to the request at index before
// the load.
func (one *side) always(index int) (all map[string]bool) {
	for a := range one.to(index) {
		has := carried(a.Response.Fields, toHead(a))
		if all == nil {
			all = has
		}
		maps.DeleteFunc(all, func(what string, _ bool) bool { return !has[what] })
	}
	return all
}

// without counts the sampled answers to the request at index with sample numbers up to nth. lack
// counts, for each header that all answers had before the load, the answers without it.
func (e *evidence) without(index, nth int) (lack map[string]int, all int) {
	first, before := e.first(index), e.always(index)
	lack = map[string]int{}
	for what := range before {
		lack[what] = 0
	}
	for i := range e.heads {
		if x := &e.heads[i]; x.Index == index && x.Nth <= nth && first != nil && x.Status == first.Response.Status {
			all++
			has := carried(x.Fields, toHead(first))
			for what := range before {
				if !has[what] {
					lack[what]++
				}
			}
		}
	}
	return lack, all
}

// last returns the number of the last sampled header section.
func (e *evidence) last() (n int) {
	for i := range e.heads {
		n = max(n, e.heads[i].Nth)
	}
	return n
}

// fewLack is the percentage of another side's answers that may lack a header which lost requires.
const fewLack = 1

// lost returns an error if chance does not explain how many answers lack a header, though all
// answers had it before the load, and almost all answers from each comparable other side have it
// under load. Two sides are compared up to the same sample number, because stored data may fill up.
func (j *juror) lost(e *evidence) error {
	for index := range j.contract.Requests {
		figures, excused := map[string]string{}, map[string]bool{}
		for _, name := range j.names {
			o := j.all[name]
			nth := min(e.last(), o.last())
			mine, all := e.without(index, nth)
			theirs, of := o.without(index, nth)
			if o == e || min(all, of) < fewestRepeated {
				continue
			}
			for what, n := range mine {
				if m, sent := theirs[what]; sent {
					excused[what] = excused[what] || m*100 > of*fewLack || byLot(n, all, m, of) >= byChance
					figures[what] += fmt.Sprintf("; in %d of %d sampled answers, %s in %d of %d", n, all, name, m, of)
				}
			}
		}
		for _, what := range slices.Sorted(maps.Keys(figures)) {
			name, cookie, ok := strings.Cut(what, " ")
			if excused[what] || j.sides.Allowed.excuses(&difference{what: "header:" + name}) != "" ||
				j.client() && !j.lacksAgain(e, index, what) {
				continue
			}
			if ok {
				name += " (" + shown(cookie) + ")"
			}
			return fmt.Errorf("under load it answered %s with no header %s, though all answers before the load had it%s",
				e.first(index).Sent, name, figures[what])
		}
	}
	return nil
}

// lacksAgain reports whether an answer lacks a header when the request comes, as before the load,
// from a client that sends no cookie.
func (j *juror) lacksAgain(e *evidence, index int, what string) bool {
	for range fewestBefore {
		now, err := j.again(e.name, nil)
		if err != nil {
			return false
		}
		for k := range now {
			if a := &now[k]; a.Index == index && !carried(a.Response.Fields, toHead(a))[what] {
				return true
			}
		}
	}
	return false
}

// byLot returns the probability that, among m+m2 things drawn by lot, at least m are among the n on
// one side, if n2 are on the other side (Fisher's exact test).
func byLot(m, n, m2, n2 int) (p float64) {
	ways := func(n, k int) float64 { // logarithm
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	for x := m; x <= min(n, m+m2); x++ {
		p += math.Exp(ways(n, x) + ways(n2, m+m2-x) - ways(n+n2, m+m2))
	}
	return p
}

// elsewhereHead reports whether another side differs under load in the same header.
func (j *juror) elsewhereHead(name string, index int, what string) bool {
	return slices.ContainsFunc(j.names, func(o string) bool { return o != name && j.all[o].counts[index][what] > 0 })
}

// some returns up to n elements, spread evenly over all.
func some[T any](all []T, n int) (out []T) {
	for i := range min(n, len(all)) {
		out = append(out, all[i*len(all)/min(n, len(all))])
	}
	return out
}

func marksOf(all []load.Sampled) (marks []scenario.Mark) {
	for i := range all {
		marks = append(marks, all[i].Mark)
	}
	return marks
}
