package alike

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// values are the values in an answer, by place: JSON scalars, list lengths, and a scalar list in
// full; words in other texts; header fields. For a list with two or more elements, the place of its
// elements holds the share of different elements.
type values map[string]string

// Limits on the places in one body: their number, the depth, and the length of a list that is
// compared in full.
const (
	mostValues = 256
	mostSteps  = 8
	mostWhole  = 64
)

// valuesOf returns the values in a body, except where --differ accepts any.
func (j *juror) valuesOf(first *scenario.Answer, body []byte) values {
	r := *first.Response
	r.Body = body
	plain, out := wire.Decoded(&r), values{}
	if v, ok := readJSON(&r, plain); ok {
		out.add(jsonPath{}, v, &j.sides.Allowed)
	} else if utf8.Valid(plain) {
		for i, w := range words(string(plain)) {
			if len(out) < mostValues && scenario.InWord(w[0]) {
				out[fmt.Sprintf("word %d", i/2+1)] = w
			}
		}
	}
	return out
}

func (vs values) add(at jsonPath, v any, allowed *Allowed) {
	if len(vs) >= mostValues || len(at) > mostSteps || allowed.json.cover(at) {
		return
	}
	switch v := v.(type) {
	case []any:
		different, scalars := map[string]bool{}, len(v) > 1 && len(v) <= mostWhole
		for i := range v {
			vs.add(append(slices.Clone(at), fmt.Sprintf("[%d]", i)), v[i], allowed)
			different[jsonText(v[i])] = true
			switch v[i].(type) {
			case []any, map[string]any:
				scalars = false
			}
		}
		vs[at.String()+" | length"] = fmt.Sprint(len(v))
		if scalars {
			vs[at.String()] = jsonText(v)
		}
		if len(v) > 1 {
			vs[append(slices.Clone(at), elements).String()] = fmt.Sprint(float64(len(different)) / float64(len(v)))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			vs.add(append(slices.Clone(at), name), v[name], allowed)
		}
	default:
		vs[at.String()] = jsonText(v)
	}
}

// elements is the last step in the path to a list's elements.
const elements = "[*]"

// before returns the values in a side's answers to the request at index before the load.
func (j *juror) before(e *evidence, index int) (all []values) {
	for _, answers := range e.answers {
		for k := range answers {
			if a := &answers[k]; a.Index == index {
				all = append(all, j.places(a))
			}
		}
	}
	return all
}

// places returns the values in an answer's body and header fields.
func (j *juror) places(a *scenario.Answer) values {
	vs := j.valuesOf(a, a.Response.Body)
	j.addFields(vs, a.Response.Fields, toHead(a))
	return vs
}

// addFields adds the lasting header fields except Date, and cookies without attributes.
func (j *juror) addFields(vs values, fields []wire.Field, toHead bool) {
	for _, f := range fields {
		name := strings.ToLower(f.Name)
		if !lasting(name, toHead) || name == "date" || j.sides.Allowed.excuses(&difference{what: "header:" + name}) != "" {
			continue
		}
		if name == "set-cookie" {
			cookie, v, _ := strings.Cut(f.Value, "=")
			name += " (" + shown(strings.TrimSpace(cookie)) + ")"
			f.Value, _, _ = strings.Cut(v, ";")
		}
		vs["header "+name] = f.Value
	}
}

// placesOf returns all places in rows.
func placesOf(all []values) []string {
	at := map[string]bool{}
	for _, vs := range all {
		for p := range vs {
			at[p] = true
		}
	}
	return slices.Sorted(maps.Keys(at))
}

// column returns the values at one place.
func column(all []values, at string) (out []string) {
	for _, vs := range all {
		if v, ok := vs[at]; ok {
			out = append(out, v)
		}
	}
	return out
}
