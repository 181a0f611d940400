package alike

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// passing are headers that an honest server may send with one answer and omit from the next: they
// describe the connection, the framing, or what happened to this answer on its way. So does each
// header with "cache" in its name, except Cache-Control.
var passing = []string{"age", "alt-svc", "connection", "content-length", "keep-alive", "proxy-connection",
	"retry-after", "server-timing", "te", "trailer", "transfer-encoding", "upgrade", "via", "warning"}

// lasting reports whether either all answers to a request have this header or none. In answers to HEAD,
// Content-Length is work, not framing.
func lasting(name string, toHead bool) bool {
	if name == "cache-control" || name == "content-length" && toHead {
		return true
	}
	return !slices.Contains(passing, name) && !strings.Contains(name, "cache")
}

// headDifferences returns what is different in b, a header section of the same side as a: what describes
// the body, the Content-Length of HEAD, and each lasting header that is missing. One that is added is no
// difference: servers mark a few of their answers, for example for tracing.
func headDifferences(a, b *http1.Response, toHead bool) (all []difference) {
	add := func(what, x, y string) {
		if !slices.ContainsFunc(all, func(d difference) bool { return d.what == what }) {
			all = append(all, difference{what: what, a: shown(x), b: shown(y)})
		}
	}
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

func value(r *http1.Response, name string) string {
	v, _ := r.Get(name)
	return v
}

func toHead(a *scenario.Answer) bool { return strings.HasPrefix(a.Sent, "HEAD ") }

// unlikeHead returns how the header section of got differs from the one of an answer of the same side,
// except for what varied before the load, and what --differ accepts.
func (j *judge) unlikeHead(e *evidence, before *scenario.Answer, got *http1.Response) []difference {
	return slices.DeleteFunc(headDifferences(before.Response, got, toHead(before)), func(d difference) bool {
		return e.side.varies[before.Index].excuses(&d) || j.sides.Allowed.excuses(&d) != ""
	})
}

// learnHeads compares the sampled header sections of a side with those of its first answers before the
// load.
func (j *judge) learnHeads(e *evidence) {
	e.unlike, e.counts = make([][]difference, len(e.heads)), map[int]map[string]int{}
	for i := range e.heads {
		x := &e.heads[i]
		first := e.first(x.Index)
		if first == nil || !j.accepted(x) {
			continue
		}
		if e.counts[x.Index] == nil {
			e.counts[x.Index] = map[string]int{}
		}
		e.counts[x.Index][""]++
		e.unlike[i] = j.unlikeHead(e, first, &http1.Response{Fields: x.Fields})
		for _, d := range e.unlike[i] {
			e.counts[x.Index][d.what]++
		}
	}
}

// mostAgain is the number of sampled requests with placeholders that are sent once more to the side that
// answered them.
const mostAgain = 64

// headers judges the sampled header sections of a side. They must be as before the load, or, where that
// was another draw, as the side answers the same draw now; and what Ask sent must be answered now as then.
// Where requests change state, only a header that every answer lacks is wrong, because a header may
// depend on what is stored.
func (j *judge) headers(e *evidence) error {
	wrong := func(when, sent string, d *difference, then string) error {
		return fmt.Errorf("%s it answered %s with %s: %s; %s: %s", when, sent, d.name(), d.b, then, d.a)
	}
	var drawn []load.Sampled
	for i := range e.heads {
		x := &e.heads[i]
		for k := range e.unlike[i] {
			d, first, n := &e.unlike[i][k], e.first(x.Index), e.counts[x.Index]
			everyone := d.b == "not sent" && n[d.what] == n[""] && n[""] >= fewestRepeated
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
	if len(e.heads) == 0 || j.sides.stateful {
		return nil
	}
	drawn = some(drawn, mostAgain)
	if len(drawn) > 0 {
		now, err := j.again(e.name, marksOf(drawn))
		if err != nil {
			return fmt.Errorf("asked once more after the load: %w", err)
		}
		for i := range drawn {
			if all := j.unlikeHead(e, &now[i], &http1.Response{Fields: drawn[i].Fields}); len(all) > 0 {
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

// elsewhereHead reports whether another side differs under load in the same header.
func (j *judge) elsewhereHead(name string, index int, what string) bool {
	return slices.ContainsFunc(j.names, func(o string) bool { return o != name && j.all[o].counts[index][what] > 0 })
}

// some returns up to n of all, spread over all.
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
