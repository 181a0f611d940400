package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"

	"dyno/internal/analysis"
)

// JSONFormat is the version of run.json that JSON writes.
const JSONFormat = 1

// JSON writes run.json, one object in a stable shape and order. Keys end in their unit; a bound that is not finite, and a value that
// there is none of, is null. Its keys:
//
//	format, answer                 version of this shape; the answer in words
//	plan, host, end                as in trials.jsonl (doc/format.md); end is null for a run that was cut off
//	summary                        valid_epochs, look, valid_trials, void_trials, primary, alpha_per_look, margin_ratio, mde_ratio
//	contestants[]                  in table order, then the controls:
//	  name, title, control, tier, rank_lo, rank_hi (null without a rank), lower_bound, struck (null or why), notes[], failure
//	  ceiling_share_ratio          of the generator's ceiling, null if not known
//	  metrics.<name>               value_<unit>, lo_<unit>, hi_<unit>, epochs, to_yardstick {value_ratio, lo_ratio, hi_ratio, epochs}, absent
//	                               a struck contestant has no values: what it did is in trials.jsonl, but it is no figure
//	  built                        as in trials.jsonl; null if it never was
//	  starts                       starts (after the pilots), first_answer, warm_up {value_ns, lo_ns, hi_ns, epochs} or null, memory_per_connection the same in _bytes, warm_up_classes {class: starts}
//	  launches[]                   as in trials.jsonl
//	pairs[]                        a, b, metric, value_ratio (a over b), lo_ratio, hi_ratio, epochs, p, p_holm, verdict, better, note
//	canary, other_controls[]       as a pair
//	levels[], contestants[].levels  as in a sweep: of a duel that shows further levels beside the one that it decides at
//	findings[]                     id, title, contestant (null for the whole run), state, text
//	trends[]                       of a duel: contestant, level, metric, value_ratio (change over the counted rounds of an epoch), p_adjusted, moving
//	companion                      of a run with one: name, alone[] (level, at, value_per_sec), built
//	claims                         of a run of a study that has any (doc/format.md)
func JSON(w io.Writer, d *Data) error {
	if write := d.unjudged("json"); write != nil {
		return write(w, d)
	}
	v := newView(d)
	o := object{
		{"format", JSONFormat},
		{"answer", v.answer()},
		{"plan", v.run.Plan}, {"host", v.run.Host}, {"end", v.run.End},
		{"summary", object{
			{"valid_epochs", v.a.Epochs}, {"look", v.a.Look}, {"valid_trials", v.Valid}, {"void_trials", v.Void},
			{"primary", v.primary().Name}, {"alpha_per_look", number(v.a.AlphaAt)}, {"margin_ratio", number(v.margin())},
			{"mde_ratio", number(v.a.MDE)},
		}},
		{"contestants", v.contestantsJSON()},
		{"pairs", pairsJSON(v.a.Pairs)},
		{"canary", nil},
		{"other_controls", pairsJSON(v.a.Others)},
		{"findings", v.findingsJSON()},
	}
	if trends := trendsJSON(v.a.Trends); trends != nil {
		o = append(o, field{"trends", trends})
	}
	if s := v.beside(); s != nil {
		o = append(o, field{"levels", s.levelsJSON()})
	}
	if v.a.Canary != nil {
		o.set("canary", pairJSON(*v.a.Canary))
	}
	return writeObject(w, d, o)
}

// writeObject writes what a form has of d, and of its claims, where there are any.
func writeObject(w io.Writer, d *Data, o object) error {
	if c := companionJSON(d); c != nil {
		o = append(o, field{"companion", c})
	}
	if d.Claims != nil {
		o = append(o, field{"claims", claimsJSON(d.Claims)})
	}
	b, err := marshal(o)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

func (v *view) contestantsJSON() []object {
	list := []object{}
	for _, rows := range [][]row{v.rows, v.controls} {
		for _, r := range rows {
			list = append(list, v.contestantJSON(r))
		}
	}
	return list
}

func (v *view) contestantJSON(r row) object {
	o := object{{"name", r.Name}, {"title", r.Title}, {"control", r.Control}}
	o = append(o, rankJSON(r)...)
	o = append(o, field{"lower_bound", r.Place.LowerBound}, field{"struck", orNull(r.Struck)},
		field{"notes", append([]string{}, r.Data...)}, field{"failure", r.Failure})
	var share any
	if s, ok := v.a.Shares[r.Name]; ok {
		share = number(s)
	}
	var metrics object
	for _, m := range v.metrics {
		metrics = append(metrics, field{m.Name, metricJSON(m, r, v.cell(r.Name, m.Name))})
	}
	o = append(o, field{"ceiling_share_ratio", share}, field{"metrics", metrics}, field{"starts", startsJSON(r.Starts)})
	if s := v.beside(); s != nil {
		o = append(o, field{"levels", s.rowLevelsJSON(r)})
	}
	return append(o, field{"built", r.Built}, field{"launches", v.launchesJSON(r)})
}

func rankJSON(r row) object {
	p := r.Place
	if r.Struck != "" || p.Lo == 0 {
		return object{{"tier", nil}, {"rank_lo", nil}, {"rank_hi", nil}}
	}
	return object{{"tier", p.Tier}, {"rank_lo", p.Lo}, {"rank_hi", p.Hi}}
}

func metricJSON(m analysis.Metric, r row, c analysis.Cell) object {
	if r.Struck != "" {
		c.Absent = r.Struck
	}
	u := analysis.UnitNamed(m.Unit).Key
	if c.Absent != "" {
		return object{{"value_" + u, nil}, {"lo_" + u, nil}, {"hi_" + u, nil}, {"epochs", 0}, {"to_yardstick", nil}, {"absent", c.Absent}}
	}
	o := object{{"value_" + u, number(c.Level.Value)}, {"lo_" + u, number(c.Level.Lo)}, {"hi_" + u, number(c.Level.Hi)},
		{"epochs", c.Level.N}, {"to_yardstick", nil}, {"absent", nil}}
	if c.Ratio.N > 0 {
		o.set("to_yardstick", ratioJSON(c.Ratio))
	}
	return o
}

// trendsJSON are the changes over the rounds of an epoch; null where none could be found.
func trendsJSON(trends []analysis.Trend) []object {
	var list []object
	for _, x := range trends {
		o := append(object{{"contestant", x.Contestant}, {"level", x.Level}, {"metric", x.Metric}}, ratioJSON(x.Change)...)
		list = append(list, append(o, field{"p_adjusted", number(x.P)}, field{"moving", x.Moving}))
	}
	return list
}

func ratioJSON(e analysis.Estimate) object {
	return object{{"value_ratio", number(e.Value)}, {"lo_ratio", number(e.Lo)}, {"hi_ratio", number(e.Hi)}, {"epochs", e.N}}
}

func pairsJSON(pairs []analysis.Pair) []object {
	list := []object{}
	for _, p := range pairs {
		list = append(list, pairJSON(p))
	}
	return list
}

func pairJSON(p analysis.Pair) object {
	o := append(object{{"a", p.A}, {"b", p.B}, {"metric", p.Metric}}, ratioJSON(p.Ratio)...)
	return append(o, field{"p", number(p.P)}, field{"p_holm", number(p.Adjusted)}, field{"verdict", p.Verdict},
		field{"better", orNull(p.Better)}, field{"note", orNull(p.Note)})
}

func (v *view) findingsJSON() []object {
	list := []object{}
	for _, f := range v.Findings {
		list = append(list, object{{"id", f.ID}, {"title", f.Title}, {"contestant", orNull(f.Contestant)}, {"state", f.State.String()}, {"text", f.Text}})
	}
	return list
}

// number is a float that JSON can hold: null unless it is finite.
func number(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// object is a JSON object whose keys keep their order, some of them being put together from a unit.
type object []field

type field struct {
	key   string
	value any
}

func (o object) set(key string, value any) {
	for i := range o {
		if o[i].key == key {
			o[i].value = value
		}
	}
}

// MarshalJSON writes the fields in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(f.key)
		if err != nil {
			return nil, err
		}
		value, err := marshal(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal is json.Marshal without the escaping for HTML, which would hide < and & in commands and reasons.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
