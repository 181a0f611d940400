package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// all returns the contestants, then the controls.
func (v *View) all() []Row { return slices.Concat(v.rows, v.controls) }

// TableRow returns a table row that begins with the contestant's name.
func (v *View) TableRow(r Row) document.Row {
	d := document.Row{Cells: []document.Cell{{Value: r.Title, Small: metaOf(r)}}, Key: r.Key(), Excluded: r.Excluded,
		Failed: r.failed()}
	if r.Control {
		d.Style = document.Quiet
		if len(v.controls) > 0 && v.controls[0].Name == r.Name {
			d.Group = "reference"
		}
	}
	return d
}

var stateStyle = map[judge.State]document.Style{judge.Pass: document.Good, judge.Warn: document.Warn,
	judge.Fail: document.Bad}

// origin says in a few lines how the figures were measured.
func (v *View) origin() document.Section {
	return document.Section{ID: "machine", Blocks: labelled(append(v.hosts(), []document.Fact{
		{Name: "Machines", Value: v.parts()}, {Name: "Measured", Value: v.measured()},
		{Name: "Services", Value: v.servicesText()}, {Name: "Encryption", Value: v.encryption()},
		{Name: "Not measured here", Value: v.unmeasured()}}...))}
}

// labelled returns a paragraph for each fact that has a value.
func labelled(facts []document.Fact) (blocks []document.Block) {
	for _, f := range facts {
		if f.Value != "" {
			blocks = append(blocks, document.Paragraph{Label: f.Name, Text: document.Plain(f.Value + ".")})
		}
	}
	return blocks
}

// encryption says what TLS connections negotiated, by contestant; "" if there were none.
func (v *View) encryption() string {
	by := map[string][]string{}
	for _, t := range v.run.Trials {
		if len(t.Load.TLS) == 0 {
			continue
		}
		// One that was resumed may name no group.
		first := max(0, slices.IndexFunc(t.Load.TLS, func(s record.TLSSession) bool { return s.Group != "" }))
		words, name := document.Clean(t.Load.TLS[first].Words()), v.Title(t.Contestant)
		by[words] = AddNew(by[words], name)
	}
	var all []string
	for _, w := range slices.Sorted(maps.Keys(by)) {
		if slices.Sort(by[w]); len(by) > 1 {
			w += " (" + And(by[w]) + ")"
		}
		all = append(all, w)
	}
	return strings.Join(all, "; ")
}

// measured describes the amount of valid data.
func (v *View) measured() string {
	text := fmt.Sprintf("%d of %s discarded", v.Discarded, document.Count(v.Valid+v.Discarded, "trial"))
	rounds := document.Count(v.run.Plan.Rounds, "round")
	switch {
	case v.ranks:
		text = fmt.Sprintf("%s of %s that count; ", document.Count(v.a.Epochs, "epoch"), rounds) + text
	case len(v.levels) > 0 && v.named():
		text = fmt.Sprintf("%s of %s at each level (%s); ", v.epochs(), rounds, v.levelList()) + text
	}
	return text
}

// failures returns the ends of the failed contestants' logs, and failures of other parts.
func (v *View) failures() document.Section {
	s := document.Section{ID: "failures", Title: "Failures"}
	for i := range v.run.Failures {
		f := &v.run.Failures[i]
		title := v.Title(f.Contestant)
		if !slices.ContainsFunc(v.all(), func(r Row) bool { return r.Name == f.Contestant }) {
			s.Blocks = append(s.Blocks, document.Paragraph{Label: title, Style: document.Bad,
				Text: document.Plain(FailureText(f))})
		}
		if tail := f.LogTail[max(0, len(f.LogTail)-20):]; len(tail) > 0 { // rule 6 of doc/design.md
			head := "End of the log of " + title
			if f.LogFile != "" {
				head += " (" + f.LogFile + ")"
			}
			s.Blocks = append(s.Blocks, document.Log{Title: head, Lines: tail})
		}
	}
	return s
}

// repeat returns the command that repeats the run, and names the file that the figures are computed
// from.
func (v *View) repeat() document.Section {
	s := document.Section{ID: "repeat", Title: "Repeat it"}
	if c := v.run.Plan.Origin.Command; c != "" {
		s.Blocks = append(s.Blocks, document.Code{Text: document.Command(c)})
		if lacks := lacksSecrets(c); lacks != "" {
			s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("Before you run it, " + lacks + ".")})
		}
	} else {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("The command was not recorded.")})
	}
	s.Blocks = append(s.Blocks, quiet(fmt.Sprintf("Seed %d, dyno %s. All figures are computed from trials.jsonl alone.",
		v.run.Plan.Seed, cmp.Or(v.run.Plan.Origin.Dyno, "unknown"))))
	return s
}

// contestants describes the contestants as they were built and started.
func (v *View) contestants() document.Section {
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "framework"},
		{Head: "toolchain"}, {Head: "binary"},
		{Head: "response", Unit: "head + body"}, {Head: "build"}}}
	all := v.all()
	for _, s := range v.run.Plan.Services {
		all = append(all, Row{Name: s.Name, Title: v.Title(s.Name) + ", a service", Built: v.run.Contestant(s.Name)})
	}
	for _, r := range all {
		c := r.Built
		if c == nil || c.BinaryHash == "" && !r.Control { // it was not built
			continue
		}
		var words []string
		for _, s := range c.Tuning {
			words = append(words, "tuned: "+s)
		}
		for _, s := range c.Differs {
			words = append(words, "differs: "+s)
		}
		response, build := document.Missing, document.Missing
		if c.HeaderBytes+c.BodyBytes > 0 {
			response = fmt.Sprintf("%d + %d bytes", c.HeaderBytes, c.BodyBytes)
		}
		if c.BuildNS > 0 {
			build = document.Duration(float64(c.BuildNS))
		}
		t.Rows = append(t.Rows, document.Row{Key: r.Key(), Cells: []document.Cell{{Value: r.Title, Small: metaOf(r)},
			{Value: strings.TrimSpace(c.Framework + " " + c.Version), Small: strings.Join(words, "; ")},
			{Value: c.Toolchain, Small: v.containerLimits(c.Name)},
			{Value: cmp.Or(c.BinaryHash[:min(len(c.BinaryHash), 12)], document.Missing)}, {Value: response}, {Value: build}}})
	}
	s := document.Section{ID: "contestants", Title: "What was measured", On: document.OnPage, Folded: true}
	if len(t.Rows) > 0 {
		s.Blocks = []document.Block{t}
	}
	return s
}

// containerLimits says to what its engine limits a contestant's container; "" if it has none.
func (v *View) containerLimits(name string) string {
	for i := range v.run.Launches {
		l := v.run.Launches[i].Limits
		if v.run.Launches[i].Contestant != name || l == nil {
			continue
		}
		cpus, memory := "no limit of CPU time", "no limit of memory"
		if l.CPUs > 0 {
			cpus = fmt.Sprintf("at most %g CPUs", l.CPUs)
		}
		if l.MemoryBytes > 0 {
			memory = fmt.Sprintf("at most %d MiB of memory", l.MemoryBytes>>20)
		}
		return cpus + ", " + memory
	}
	return ""
}

// Started returns when the run began.
func (v *View) Started() string {
	if at := v.run.Plan.Origin.StartedUnixNS; at > 0 {
		return time.Unix(0, at).UTC().Format("2 January 2006, 15:04 UTC")
	}
	return "not recorded"
}

// doubts returns what a run of short loads, or a classic one, cannot show.
func (v *View) doubts() (list []document.Block) {
	if v.single {
		return []document.Block{quiet("A classic run discards no loads. If a paired comparison would have discarded one " +
			"because of other programs, the contestant's row says so.")}
	}
	if v.named() {
		list = append(list, quiet("Figures of two contestants at one level were measured in the same rounds. "+
			"Those of levels with different delays or numbers of CPUs were measured in different epochs, so changes of "+
			"the machine's speed affect their ratio."))
	}
	return list
}

// belief says how far the figures can be trusted: reasons for doubt, then what the checks found.
func (v *View) belief() document.Section {
	s := v.Checked(true)
	s.Blocks = append(v.doubts(), s.Blocks...)
	return s
}

// sentAgain returns the number of requests to a contestant that were sent again on a new
// connection, in all its recorded loads, which warm-ups are not.
func (v *View) sentAgain(name string) (n int64) {
	for _, loads := range [][]*record.Trial{v.run.Trials, v.run.Long, v.run.Rated} {
		for _, t := range loads {
			if t.Contestant == name {
				n += t.Load.SentAgain
			}
		}
	}
	return n
}

// resent says how many requests were sent again; "" if none were.
func (v *View) resent(name string) string {
	if n := v.sentAgain(name); n > 0 {
		return document.Count(n, "request") + " sent again on a new connection: the server had not processed them (HTTP/2)"
	}
	return ""
}
