package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dyno/internal/document"
)

// Found is the result when dyno searches for the highest rate at which a server keeps an objective.
type Found struct {
	Dyno, Command, Target, Did string
	CPU                        string // model of the generator's CPUs
	Seed                       uint64

	Objective    string
	Quantile     float64  // the objective's percentile, 0 to 1
	Rate, Lo, Hi float64  // rate per second, with its 95 % interval; Hi +Inf: every probe kept the objective, Lo 0: none
	Top          float64  // rate in a closed loop
	TooSlowNS    int64    // fastest response of one request at a time, if that missed: the search ended there
	Closed       []string // warnings about the closed loop
	Probes       []Probe
	LongProbes   int    // number of probes at one rate that must keep the objective to confirm it
	Ended        string // why it ended before its last probe: Interrupted, Failed, OutOfTime or Stopped; "": it did not
	Why          string // details beyond Ended
	Color        bool   // FoundText may use ANSI styles
}

// Probe is one load in a search.
type Probe struct {
	Kind    string        `json:"kind"` // closed loop, search or confirmation
	PerSec  float64       `json:"rate_per_sec"`
	Length  time.Duration `json:"length_ns"`
	Planned int64         `json:"planned"`
	Missing int64         `json:"missing"` // planned requests without a right response
	// LatencyNS is the objective's percentile; 0 if it is unknown or a lower bound.
	LatencyNS int64  `json:"latency_ns,omitempty"`
	Kept      bool   `json:"kept"`
	Why       string `json:"why,omitempty"`       // why it was not kept
	NotKnown  bool   `json:"not_known,omitempty"` // whether it was kept is unknown: it does not count
	Paused    bool   `json:"paused,omitempty"`    // the generator stood still: it does not count
	Gone      bool   `json:"gone,omitempty"`      // the server was gone: it does not count, and ends the search
	AtLimit   bool   `json:"at_limit,omitempty"`  // the generator was at its limit
	Cut       bool   `json:"cut,omitempty"`       // the probe ended before its time: it does not count
}

// The kinds of probes.
const (
	ClosedLoop   = "closed loop"
	Searching    = "search"
	Confirmation = "confirmation"
)

// Why a search ended early.
const (
	Interrupted = "interrupted"
	Failed      = "failed"
	OutOfTime   = "out of time"
	Stopped     = "stopped" // because a probe showed that no other makes sense
)

// Outcome gives the probe's result in a few words.
func (p *Probe) Outcome() string {
	switch {
	case p.Cut:
		return "not counted: ended before its time"
	case p.Gone:
		return "not counted: the server was gone"
	case p.Silent():
		return "not counted: no right response, and the generator stood still"
	case p.Paused:
		return "not counted: the generator stood still"
	case p.Kind == ClosedLoop:
		return ""
	case p.Kept:
		return "kept"
	case p.NotKnown:
		return "not known: " + p.Why
	case p.Limited():
		return "not counted: the generator was at its limit"
	case p.AtLimit:
		return "missed: " + p.Why + ", with the generator at its limit"
	}
	return "missed: " + p.Why
}

// Silent reports whether the generator stood still in a probe without a right response. The pause
// need not be the reason.
func (p *Probe) Silent() bool { return p.Paused && p.Planned > 0 && p.Missing == p.Planned }

// Limited reports whether the probe missed the objective while the generator was at its limit: it
// shows nothing about the server. A confirming probe counts nevertheless: if those that miss were
// repeated, and those that pass were not, luck could confirm a rate.
func (p *Probe) Limited() bool { return p.AtLimit && p.Kind == Searching && p.missed() }

// missed reports whether the probe missed the objective, for whatever reason.
func (p *Probe) missed() bool { return p.Kind != ClosedLoop && p.whole() && !p.NotKnown && !p.Kept }

// Again extends the search after its last probes: the confirmations so far no longer confirm the
// final rate.
func (f *Found) Again() {
	for i := range f.Probes {
		if f.Probes[i].Kind == Confirmation {
			f.Probes[i].Kind = Searching
		}
	}
}

// counts reports whether the probe shows anything about the objective.
func (p *Probe) counts() bool {
	return p.Kind != ClosedLoop && p.whole() && !p.NotKnown && !p.Limited()
}

// whole reports whether the probe ran as planned.
func (p *Probe) whole() bool { return !p.Paused && !p.Cut && !p.Gone }

// Confirmed returns the rate of the last confirming probes, how many of these kept the objective, and how
// many count.
func (f *Found) Confirmed() (perSec float64, kept, all int) {
	for _, p := range f.Probes {
		if p.Kind != Confirmation {
			continue
		}
		if p.PerSec != perSec {
			perSec, kept, all = p.PerSec, 0, 0
		}
		if p.counts() {
			if all++; p.Kept {
				kept++
			}
		}
	}
	return perSec, kept, all
}

// long says how many confirming probes at each rate kept the objective; "" if none counts.
func (f *Found) long() (text string) {
	for i := range f.Probes {
		rate, kept, all := (&Found{Probes: f.Probes[:i+1]}).Confirmed()
		last := i+1 == len(f.Probes) || f.Probes[i+1].PerSec != rate
		if f.Probes[i].Kind == Confirmation && all > 0 && last {
			text += fmt.Sprintf(", %d of %d at %s", kept, all, Rate(rate))
		}
	}
	return strings.TrimPrefix(text, ", ")
}

// OK reports whether a rate was found that every confirming probe kept, and as many as must count.
func (f *Found) OK() bool {
	_, kept, all := f.Confirmed()
	return f.Lo > 0 && all >= f.LongProbes && kept == all && f.Ended == ""
}

// unfinished says how far a search came that ended before its last probe.
func (f *Found) unfinished() string {
	n := 0
	for _, p := range f.Probes {
		if !p.Cut && !p.Gone {
			n++
		}
	}
	text := f.Ended + " after " + document.Count(n, "probe")
	if f.Lo > 0 && f.long() == "" {
		text += ", so the rate is a first estimate, which no long probe confirms"
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	return text
}

// warnings returns the sentences that a reader needs beside the rate.
func (f *Found) warnings() (list []string) {
	if f.Ended != "" {
		list = append(list, f.unfinished())
	}
	switch {
	case f.Ended != "" && f.Rate == 0:
	case f.Top <= 0:
		list = append(list, "the closed loop got no right response, so there is no rate to search around")
	case f.TooSlowNS > 0:
		list = append(list, fmt.Sprintf("one request at a time, the fastest response took %s: no rate keeps the objective",
			document.Duration(float64(f.TooSlowNS))))
	case f.Rate == 0:
		list = append(list, "no probe had enough requests to know the percentile. Choose a lower one")
	case f.Lo == 0:
		list = append(list, "every probe that counts missed the objective: the highest rate is lower than all of them")
	case math.IsInf(f.Hi, 1):
		list = append(list, "the probes together show no upper bound: the highest rate may be higher than shown")
	}
	list = append(list, f.Closed...)
	if f.Lo > 0 && f.Ended == "" && !f.OK() {
		most := 0.
		for _, p := range f.Probes {
			if p.Kept && p.counts() && p.PerSec <= f.Rate {
				most = max(most, p.PerSec)
			}
		}
		why := "at no rate did all long probes keep the objective"
		if _, kept, all := f.Confirmed(); kept == all {
			why = fmt.Sprintf("%d of %d necessary long probes count", all, f.LongProbes)
		}
		if most > 0 {
			why += ". Up to the estimate, the highest rate at which a probe kept it was " + Rate(most)
		}
		list = append(list, "not confirmed: "+why+". Free the machine of other work and search again with a longer -d, "+
			"or try a lower rate with --rate")
	}
	return list
}

// FoundForms are the forms of a search by name.
var FoundForms = map[string]func(io.Writer, *Found) error{
	"text": FoundText, "json": FoundJSON,
	"html":     func(w io.Writer, f *Found) error { return document.HTML(w, titled(f.Target, f.document())) },
	"markdown": func(w io.Writer, f *Found) error { return document.Markdown(w, titled(f.Target, f.document()), 3) },
}

// FoundText writes a search as text.
func FoundText(w io.Writer, f *Found) error {
	return document.Text(w, f.document(), document.Options{Color: f.Color})
}

// document returns the probes, the rate, and warnings about it.
func (f *Found) document() *document.Document {
	var blocks []document.Block
	say := func(label, text string) {
		blocks = append(blocks, document.Paragraph{Label: label, Text: document.Plain(text)})
	}
	say("", f.Target+": "+f.Did)
	percentile := fmt.Sprintf("p%g", 100*f.Quantile)
	t := document.Table{Columns: append(columns("Probes", "rate", percentile, "requests", "no right response"),
		document.Column{Head: f.Objective})}
	missed, limited := 0, 0
	for _, p := range f.Probes {
		if p.missed() {
			if missed++; p.AtLimit {
				limited++
			}
		}
		latency := "-"
		if p.LatencyNS > 0 {
			latency = document.Duration(float64(p.LatencyNS))
		}
		t.Rows = append(t.Rows, cellsRow(p.Kind, Rate(p.PerSec), latency, document.Whole(p.Planned),
			document.Whole(p.Missing), p.Outcome()))
	}
	blocks = append(blocks, t)
	say("Generator", fmt.Sprintf("at its limit in %d of %s that missed the objective", limited,
		document.Count(missed, "probe"))+Led(", on ", f.CPU))
	if text := f.long(); text != "" {
		say("Long probes", "kept the objective: "+text)
	}
	perSec, kept, all := f.Confirmed()
	hi := "?"
	if !math.IsInf(f.Hi, 1) {
		hi = document.Sig3(f.Hi)
	}
	text := fmt.Sprintf("%s estimated: half of the probes keep the objective there (95 %% interval %s–%s)",
		document.Sig3(f.Rate),
		document.Sig3(f.Lo), hi)
	switch {
	case f.Rate == 0:
		text = "none found"
	case f.Lo == 0:
		text = "below " + hi
	case math.IsInf(f.Hi, 1) && f.OK():
		text = "at least " + document.Sig3(perSec)
	}
	say("Highest rate/sec", text)
	text = "none"
	if f.OK() {
		text = fmt.Sprintf("%s: %d of %d long probes kept the objective; plan with this rate",
			document.Sig3(perSec), kept, all)
	}
	say("Confirmed rate/sec", text)
	for _, text := range f.warnings() {
		blocks = append(blocks, document.Paragraph{Label: "WARNING", Style: document.Bad, Text: document.Plain(text)})
	}
	return &document.Document{Sections: []document.Section{{Blocks: blocks}}}
}

// FoundJSON writes one object; doc/format.md explains its keys.
func FoundJSON(w io.Writer, f *Found) error {
	doc := struct {
		Format      int      `json:"format"`
		Objective   string   `json:"objective"`
		PerSec      float64  `json:"highest_rate_per_sec,omitempty"`
		Low         float64  `json:"low_per_sec,omitempty"`
		High        float64  `json:"high_per_sec,omitempty"`
		Kept        float64  `json:"confirmed_rate_per_sec,omitempty"`
		Confirmed   int      `json:"confirmed"`
		Confirms    int      `json:"confirms"`
		ClosedLoop  float64  `json:"closed_loop_per_sec,omitempty"`
		Probes      []Probe  `json:"probes"`
		Interrupted bool     `json:"interrupted,omitempty"`
		Warnings    []string `json:"warnings,omitempty"`
		CPU         string   `json:"cpu,omitempty"`
		Command     string   `json:"command"`
		Target      string   `json:"target"`
		Seed        uint64   `json:"seed"`
		Dyno        string   `json:"dyno"`
	}{Format: foundFormat, Objective: f.Objective, Low: round(f.Lo), ClosedLoop: round(f.Top), Probes: f.Probes,
		Interrupted: f.Ended == Interrupted, Warnings: f.warnings(), CPU: f.CPU, Command: f.Command,
		Target: f.Target, Seed: f.Seed, Dyno: f.Dyno}
	if f.Lo > 0 {
		doc.PerSec = round(f.Rate)
	}
	if !math.IsInf(f.Hi, 1) {
		doc.High = round(f.Hi)
	}
	perSec, kept, all := f.Confirmed()
	if doc.Confirmed, doc.Confirms = kept, all; f.OK() {
		doc.Kept = round(perSec)
	}
	return document.JSON(w, doc)
}
