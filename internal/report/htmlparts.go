package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno/internal/checks"
	"dyno/internal/result"
)

// matrixRow is one contestant against all others.
type matrixRow struct {
	Title string
	Cells []matrixCell
}

type matrixCell struct {
	Self               bool
	Mark, Class        string
	Value, Side, Words string
}

// marks are the verdicts as a sign, a class of colour and a word.
var marks = map[string][3]string{
	">": {"▲", "better", "better"}, "<": {"▽", "worse", "worse"}, "≈": {"≈", "same", "negligible"}, "=": {"=", "same", "tie"}, "?": {"?", "open", "undecided"},
}

func (v *view) matrixRows() (heads []string, rows []matrixRow) {
	ranked := v.ranked()
	for _, r := range ranked {
		heads = append(heads, r.Title)
		row := matrixRow{Title: r.Title}
		for _, c := range ranked {
			row.Cells = append(row.Cells, v.matrixCell(r.Name, c.Name))
		}
		rows = append(rows, row)
	}
	return heads, rows
}

func (v *view) matrixCell(a, b string) matrixCell {
	p, ok := v.a.Pair(a, b, v.primary().Name)
	if a == b || !ok {
		return matrixCell{Self: true}
	}
	m := marks[mark(p)]
	value, interval := ratioParts(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
	return matrixCell{Mark: m[0], Class: m[1], Words: m[2], Value: value, Side: strings.Trim(interval, "()")}
}

// facts are the few numbers that say how far the answer can be trusted.
func (v *view) facts() []fact {
	_, state := v.canary()
	aa := fact{Name: "A/A check", Value: "passed", Note: "the yardstick against its copy", Class: state.String()}
	switch {
	case v.a.Canary == nil:
		aa.Value = "not done"
	case state == checks.Fail:
		aa.Value = "failed"
	case state == checks.Warn:
		aa.Value = "doubtful"
	case v.a.Look == 0:
		aa.Value, aa.Class = "too early", "warn"
	}
	mde := fact{Name: "Would find", Value: "not known", Note: "too few valid epochs"}
	if v.a.MDE > 0 && !strings.Contains(v.mde(), "not known") {
		mde.Value, mde.Note = PerCent(v.a.MDE), "the least difference, four times in five"
	}
	return []fact{
		{Name: "Epochs", Value: fmt.Sprint(v.a.Epochs), Note: "valid, of " + count(v.run.Plan.Rounds, "round") + " each"},
		{Name: "Trials", Value: grouped(float64(v.Valid), 0), Note: fmt.Sprintf("valid; %d more void (%s)", v.Void, share(v.Void, v.Valid+v.Void))},
		aa, mde, v.checksFact(),
	}
}

// checksFact counts the findings.
func (v *view) checksFact() fact {
	n := map[checks.State]int{}
	for _, f := range v.Findings {
		n[f.State]++
	}
	out := fact{Name: "Checks", Value: count(len(v.Findings), "check"), Note: "all passed", Class: "pass"}
	if n[checks.Warn]+n[checks.Fail] > 0 {
		out.Value = fmt.Sprintf("%d fail, %d warn", n[checks.Fail], n[checks.Warn])
		out.Note, out.Class = fmt.Sprintf("of %d", len(v.Findings)), "warn"
	}
	if unknown := n[checks.CannotTell]; unknown > 0 && out.Class == "pass" {
		out.Note = fmt.Sprintf("%d passed, %d cannot tell", n[checks.Pass], unknown)
	} else if unknown > 0 {
		out.Note += fmt.Sprintf(", %d cannot tell", unknown)
	}
	if n[checks.Fail] > 0 {
		out.Class = "fail"
	}
	if len(v.Findings) == 0 {
		out = fact{Name: "Checks", Value: "none made"}
	}
	return out
}

func (v *view) methodFacts() []fact {
	p := &v.run.Plan
	load := fmt.Sprintf("closed loop, %s", count(p.Level.Connections, "connection"))
	if p.Level.Pipeline > 1 {
		load += fmt.Sprintf(", %d requests in flight on each", p.Level.Pipeline)
	}
	if p.Level.DelayNS > 0 {
		load += ", the handler waits " + planned(p.Level.DelayNS)
	}
	if p.Level.Work != "" {
		load += ", " + WorkName(p.Level.Work)
	}
	looks := "none planned"
	if len(p.Looks) > 0 {
		looks = fmt.Sprintf("after %s valid epochs, those of them that fit the budget, each at level %.4g; %d taken", list2(p.Looks), v.a.AlphaAt, v.a.Look)
	}
	return []fact{
		{Name: "Protocol", Value: strings.Join(nonEmpty(Clean(p.Protocol), Clean(p.Profile)), ", ")},
		{Name: "Scenario", Value: orElse(Clean(p.Scenario), "not recorded")},
		{Name: "Load", Value: load},
		{Name: "Trial", Value: fmt.Sprintf("%s of load, after %s of re-warming", planned(p.TrialNS), planned(p.RewarmNS))},
		{Name: "Order", Value: fmt.Sprintf("random in each round, from seed %d", p.Seed)},
		{Name: "Epochs", Value: fmt.Sprintf("%d valid, of %s; %s before them do not count", v.a.Epochs, count(p.Rounds, "round"), count(p.Pilots, "pilot epoch"))},
		{Name: "Looks", Value: looks},
		{Name: "Primary metric", Value: v.primary().Title},
		{Name: "Error allowed", Value: PerCent(p.Alpha) + " over all pairs together (Holm)"},
		{Name: "Tie", Value: "an interval within " + PerCent(v.margin())},
		{Name: "Budget", Value: planned(p.BudgetNS) + " after the builds"},
		{Name: "Started", Value: v.started()},
		{Name: "End", Value: v.ended()},
	}
}

func (v *view) started() string {
	if at := v.run.Plan.StartedUnixNS; at > 0 {
		return time.Unix(0, at).UTC().Format("2 January 2006, 15:04 UTC")
	}
	return "not recorded"
}

func list2(n []int) string {
	var parts []string
	for _, x := range n {
		parts = append(parts, fmt.Sprint(x))
	}
	return and(parts)
}

func (v *view) machineFacts() []fact {
	h := &v.run.Host
	if h.CPU == "" && h.CPUs == 0 {
		return []fact{{Name: "Machine", Value: "the record has no host"}}
	}
	how := "not pinned"
	if h.Pinned {
		how = "pinned"
	}
	facts := []fact{
		{Name: "CPU", Value: fmt.Sprintf("%s, %s", orElse(Clean(h.CPU), "unknown"), count(h.CPUs, "CPU"))},
		{Name: "Partition", Value: fmt.Sprintf("server on %s, generator on %s, %s", list(h.ServerCPUs), list(h.GeneratorCPUs), how)},
		{Name: "Memory", Value: Bytes(float64(h.MemoryBytes))},
		{Name: "System", Value: Clean(strings.TrimSpace(h.OS + " " + h.Kernel))},
		{Name: "Governor", Value: orElse(Clean(h.Governor), "unknown")},
		{Name: "Hypervisor", Value: orElse(Clean(h.Hypervisor), "none seen")},
		{Name: "Open files", Value: "at most " + grouped(float64(h.FileLimit), 0)},
	}
	if h.Quota != "" {
		facts = append(facts, fact{Name: "CPU quota", Value: Clean(h.Quota)})
	}
	if c := v.companionText(); c != "" {
		facts = append(facts, fact{Name: "Companion", Value: c})
	}
	if absent := v.unmeasured(); absent != "" {
		facts = append(facts, fact{Name: "Not measured here", Value: absent})
	}
	return facts
}

// builtRow is what was really built and started.
type builtRow struct {
	Title, Made, Framework, Toolchain, Hash, Response, Build string
	Words                                                    []string // tuning and differences
	Language                                                 string
}

func (v *view) builtRows() (list []builtRow) {
	all := slices.Concat(v.rows, v.controls)
	if name := v.run.Plan.Companion; name != "" {
		all = append(all, row{Name: name, Title: v.title(name) + ", the companion", Built: v.run.Contestant(name)})
	}
	for _, r := range all {
		c := r.Built
		if c == nil || c.BinaryHash == "" && !r.Control { // it was not built
			continue
		}
		b := builtRow{Title: r.Title, Language: languageClass(r), Made: metaOf(r), Toolchain: Clean(c.Toolchain), Hash: Missing, Response: Missing,
			Framework: strings.Join(nonEmpty(Clean(c.Framework), Clean(c.Version)), " "), Build: Missing}
		if c.BinaryHash != "" {
			b.Hash = cutHash(Clean(c.BinaryHash))
		}
		if c.HeaderBytes+c.BodyBytes > 0 {
			b.Response = fmt.Sprintf("%d + %d bytes", c.HeaderBytes, c.BodyBytes)
		}
		if c.BuildNS > 0 {
			b.Build = Duration(float64(c.BuildNS))
		}
		for _, s := range c.Tuning {
			b.Words = append(b.Words, "tuned: "+Clean(s))
		}
		for _, s := range c.Differs {
			b.Words = append(b.Words, "differs: "+Clean(s))
		}
		list = append(list, b)
	}
	return list
}

func cutHash(s string) string { return s[:min(len(s), 12)] }

type pageFailure struct {
	Title, Text, Log string
	Tail             string
}

func (v *view) failures() (list []pageFailure) {
	for i := range v.run.Failures {
		f := &v.run.Failures[i]
		p := pageFailure{Title: v.title(f.Contestant), Text: FailureText(f), Log: Clean(f.LogFile)}
		var tail []string
		for _, l := range lastLines(f) {
			tail = append(tail, command(l))
		}
		p.Tail = strings.Join(tail, "\n")
		list = append(list, p)
	}
	return list
}

// lastLines are at most 20, as rule 6 of doc/design.md has it.
func lastLines(f *result.Failure) []string { return f.LogTail[max(0, len(f.LogTail)-20):] }
