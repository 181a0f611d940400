package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/checks"
	"dyno/internal/claim"
	"dyno/internal/result"
)

// ClassicFile is the record of a study's long loads, beside that of its trials.
const ClassicFile = "classic.jsonl.gz"

// Readme writes the page of a study from a run of it: question, machines, claims with their outcomes, our figures beside the published, what differs
// and why, and the command. The same trials and study give the same bytes.
func Readme(w io.Writer, d *Data) error {
	c := d.Claims
	v := newView(d)
	v.byEngine()
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n", escapeMarkdown(Clean(c.Title)))
	fmt.Fprintf(out, "<!-- Written by `dyno check %s --write` from the trials beside it. Change study.toml or the trials, not this page. -->\n\n", c.Slug)
	if c.Question != "" {
		fmt.Fprintf(out, "**Question.** %s\n\n", escapeMarkdown(Clean(c.Question)))
	}
	fmt.Fprintf(out, "**Source.** %s\n\n", escapeMarkdown(Clean(c.Source)))
	if answer := v.answer(); v.Analysis != nil && len(answer) > 0 && len(d.Run.Plan.Levels) == 0 {
		fmt.Fprintf(out, "**Answer, here and today.** %s\n\n", escapeMarkdown(strings.Join(answer, " ")))
	}
	fmt.Fprintf(out, "## What was claimed. %s%s\n\n", hereToday, c.counts())
	c.list(out)
	v.figures(out)
	c.costMarkdown(out)
	if d.Run.Plan.Fresh {
		fmt.Fprintf(out, "## What the processes used and hold\n\nAfter %s requests at each level.\n\n", grouped(float64(d.Run.Plan.Requests), 0))
		newSweep(d).heldMarkdown(out)
	}
	if d.Classic != nil {
		newClassic(d.Classic).growthMarkdown(out)
	}
	v.machines(out)
	if len(c.Notes)+len(c.Unavailable) > 0 { // in the words of the study's author
		fmt.Fprint(out, "## What differs from the article, and why\n\n")
		for _, n := range c.Notes {
			fmt.Fprintf(out, "- %s\n", Clean(n)) // Markdown already
		}
		for _, name := range slices.Sorted(maps.Keys(c.Unavailable)) {
			fmt.Fprintf(out, "- %s cannot be had: %s\n", escapeMarkdown(Clean(name)), escapeMarkdown(Clean(c.Unavailable[name])))
		}
		fmt.Fprintln(out)
	}
	if len(v.Findings) > 0 {
		fmt.Fprint(out, "## What the checks found\n\n")
		for _, a := range checks.Summary(v.Findings) {
			fmt.Fprintf(out, "- %s %s\n", escapeMarkdown(a.Question.String()), a.Plain())
			for _, f := range a.Troubles() {
				fmt.Fprintf(out, "  - %s, %s: %s\n", f.State, escapeMarkdown(Clean(f.Title)), escapeMarkdown(v.finding(f)))
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "## Repeat it\n\n```sh\n%s\ndyno check %s\n```\n", strings.ReplaceAll(command(d.Run.Plan.Command), "```", "'''"), c.Slug)
	return out.Flush()
}

// figures are the published ones beside ours, one table a level: a row for each contestant and date, a column for each metric.
func (v *view) figures(out io.Writer) {
	c := v.Claims
	if len(c.Published) == 0 {
		return
	}
	fmt.Fprint(out, "## Published figures beside ours\n\nThey are of other machines, versions and years: shown, never judged. In each field stands the published figure, "+
		"then ours with its interval. \\* is computed.\n")
	var levels []string
	computed := map[string]bool{}
	for i := range c.Published {
		p := &c.Published[i]
		if !slices.Contains(levels, p.Level) {
			levels = append(levels, p.Level)
		}
		if p.Metric.Computed != "" {
			computed[p.Metric.Title+": "+p.Metric.Computed+"."] = true
		}
	}
	for _, level := range levels {
		if level != "" {
			fmt.Fprintf(out, "\n### %s\n", escapeMarkdown(Clean(level)))
		}
		v.figureTable(out, level)
	}
	if len(computed) > 0 {
		fmt.Fprintf(out, "\n\\* %s\n", escapeMarkdown(strings.Join(slices.Sorted(maps.Keys(computed)), " ")))
	}
	fmt.Fprintln(out)
}

func (v *view) figureTable(out io.Writer, level string) {
	c := v.Claims
	type key struct{ contestant, date string }
	var rows []key
	var heads []claim.Metric
	fields := map[key]map[string][]string{}
	for i := range c.Published {
		p := &c.Published[i]
		if p.Level != level {
			continue
		}
		k := key{p.Contestant, p.Date}
		if fields[k] == nil {
			rows, fields[k] = append(rows, k), map[string][]string{}
		}
		if !slices.ContainsFunc(heads, func(m claim.Metric) bool { return m.Name == p.Metric.Name }) {
			heads = append(heads, p.Metric)
		}
		fields[k][p.Metric.Name] = append(fields[k][p.Metric.Name], escapeMarkdown(p.theirs())+" → "+escapeMarkdown(p.ours()))
	}
	line := []string{"contestant", "published"}
	for _, m := range heads {
		line = append(line, escapeMarkdown(fmt.Sprintf("%s, %s is better", m.Title, better(m))))
	}
	fmt.Fprintf(out, "\n| %s |\n| --- | --- |%s\n", strings.Join(line, " | "), strings.Repeat(" --- |", len(heads)))
	if v.engines {
		slices.SortStableFunc(rows, func(a, b key) int { return compareEngines(v.engineOf(a.contestant), v.engineOf(b.contestant)) })
	}
	for i, k := range rows {
		if e := v.engineOf(k.contestant); v.engines && (i == 0 || v.engineOf(rows[i-1].contestant) != e) {
			fmt.Fprintf(out, "| **%s** |%s\n", escapeMarkdown(e), strings.Repeat(" |", len(heads)+1))
		}
		line := []string{escapeMarkdown(Clean(k.contestant)), escapeMarkdown(Clean(k.date))}
		for _, m := range heads {
			line = append(line, orElse(strings.Join(fields[k][m.Name], "<br>"), Missing))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(line, " | "))
	}
}

func better(m claim.Metric) string {
	if m.More {
		return "bigger"
	}
	return "smaller"
}

// theirs is a published figure as it was published.
func (p *Published) theirs() string {
	s := grouped(p.Value, decimals(p.Value)) + after(Scale{Name: p.Unit})
	if p.N > 0 {
		s = grouped(float64(p.N), 0) + " in " + s
	}
	switch to := Clean(p.To.String()); {
	case to == "":
	case p.Metric.More:
		s += " over " + to
	default:
		s += " from " + to
	}
	if p.Note != "" {
		s += " (" + Clean(p.Note) + ")"
	}
	return s
}

// ours is ours of it in the same unit, or why there is none.
func (p *Published) ours() string {
	if p.Absent != "" {
		return Missing + " (" + Clean(p.Absent) + ")"
	}
	if p.Ours.N == 0 {
		return Missing
	}
	s := Sig3(p.Ours.Value / p.Per)
	if p.Ours.Lo != p.Ours.Hi {
		s += " (" + intervalIn(p.Ours, Scale{Per: p.Per}) + ")"
	}
	s += after(Scale{Name: p.Unit})
	if p.Metric.Computed != "" {
		s += " *"
	}
	return s
}

// decimals is how many a published figure was given with, at most four.
func decimals(v float64) int {
	_, after, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return min(4, len(after))
}

// machines puts the article's beside ours.
func (v *view) machines(out io.Writer) {
	h, p := &v.run.Host, &v.run.Plan
	var versions []string
	for _, r := range v.rows {
		if b := r.Built; b != nil && b.Version != "" {
			versions = append(versions, Clean(b.Name+" "+b.Version))
		}
	}
	ours := map[string]string{
		"cpu": fmt.Sprintf("%s, %s", orElse(Clean(h.CPU), "unknown"), count(h.CPUs, "CPU")), "memory": Bytes(float64(h.MemoryBytes)),
		"os": Clean(strings.TrimSpace(h.OS + " " + h.Kernel)), "power": "governor " + orElse(Clean(h.Governor), "unknown"),
		"tool": "dyno " + Clean(p.Dyno), "versions": strings.Join(versions, ", "), "command": command(p.Command), "date": v.started(),
	}
	if h.Hypervisor != "" {
		ours["machine"] = "a virtual machine (" + Clean(h.Hypervisor) + ")"
	}
	fmt.Fprint(out, "## The machines\n\n| | published on | here |\n| --- | --- | --- |\n")
	keys := []string{"date", "machine", "cpu", "memory", "os", "power", "tool", "versions", "command"}
	for _, k := range slices.Sorted(maps.Keys(v.Claims.PublishedOn)) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		theirs := Clean(v.Claims.PublishedOn[k])
		if theirs+ours[k] == "" {
			continue
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(escaped([]string{Clean(k), orElse(theirs, Missing), orElse(ours[k], Missing)}), " | "))
	}
	fmt.Fprintf(out, "\nServer on CPU %s, generator on CPU %s. %d valid epochs of %d rounds, %d of %d trials void. A tie is within %s; the chance of any false difference is at most %s.\n\n", list(h.ServerCPUs), list(h.GeneratorCPUs),
		v.a.Epochs, p.Rounds, v.Void, v.Valid+v.Void, PerCent(v.margin()), PerCent(p.Alpha))
}

// FindingsPage writes what was confirmed, what was not, and why, of several studies: for people who read the articles.
func FindingsPage(w io.Writer, all []*Data) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# Findings: here, today\n\n<!-- Written by `dyno check --findings` from the trials of the studies. -->\n\n")
	fmt.Fprint(out, "What the articles concluded, and what our own trials of today's versions say of it. Each study's page has the figures, their intervals and the machines;\n"+
		"[studies.md](studies.md) has the rules. A source in parentheses: the claim or its figure is from there.\n\n")
	if len(all) == 0 {
		fmt.Fprint(out, "No study has committed trials yet.\n")
		return out.Flush()
	}
	fmt.Fprint(out, "| study | claims |")
	for _, verdict := range claim.Verdicts {
		fmt.Fprintf(out, " %s |", verdict)
	}
	fmt.Fprintf(out, "\n| --- | --: |%s\n", strings.Repeat(" --: |", len(claim.Verdicts)))
	for _, d := range all {
		c := d.Claims
		fields := []string{fmt.Sprintf("[%s](../studies/%s/README.md)", c.Slug, c.Slug), fmt.Sprint(len(c.Outcomes))}
		for _, verdict := range claim.Verdicts {
			fields = append(fields, fmt.Sprint(c.having(verdict)))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | "))
	}
	for _, d := range all {
		c := d.Claims
		fmt.Fprintf(out, "\n## %s\n\n%s. %s\n", escapeMarkdown(Clean(c.Title)), escapeMarkdown(Clean(c.Source)), escapeMarkdown(hereAt(d.Run)))
		if c.Changed {
			fmt.Fprintf(out, "\n**%s**\n", changedText)
		}
		for _, verdict := range claim.Verdicts {
			if c.having(verdict) == 0 {
				continue
			}
			fmt.Fprintf(out, "\n%s:\n\n", sentenceCaseWord(string(verdict)))
			for i := range c.Outcomes {
				if o := &c.Outcomes[i]; o.Verdict == verdict {
					fmt.Fprintf(out, "- %s %s\n", claimIcon[verdict], escapeMarkdown(c.findingText(o)))
				}
			}
		}
	}
	return out.Flush()
}

// findingText is a claim, our figures, the outcome and the reason, in one line; and the source, where it is not that
// of the study.
func (c *Claims) findingText(o *claim.Outcome) string {
	claimed, outcome := sentenceText(o)
	text := claimed + " " + outcome + ": " + Clean(o.Reason) + "."
	if o.Claim.Source != "" && o.Claim.Source != c.Source {
		text += " (" + Clean(o.Claim.Source) + ")"
	}
	return text
}

func (c *Claims) having(v claim.Verdict) (n int) {
	for i := range c.Outcomes {
		if c.Outcomes[i].Verdict == v {
			n++
		}
	}
	return n
}

func sentenceCaseWord(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// hereAt is the machine and the day of a run.
func hereAt(run *result.Run) string {
	v := newView(&Data{Run: run})
	return "Here: " + v.machine() + "; " + v.started() + "."
}
