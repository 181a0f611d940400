package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/article"
	"dyno/internal/result"
)

// Readme writes the page of a study from a run of it: question, machines, claims with their verdicts, our figures beside the published, what differs
// and why, and the command. The same trials and study give the same bytes.
func Readme(w io.Writer, d *Data) error {
	c := d.Claims
	v := newView(d)
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
	fmt.Fprintf(out, "## Claims: %s\n\n", c.counts())
	c.table(out)
	c.figures(out)
	v.machines(out)
	if len(c.Notes)+len(c.Unavailable) > 0 {
		fmt.Fprint(out, "## What differs from the article, and why\n\n")
		for _, n := range c.Notes {
			fmt.Fprintf(out, "- %s\n", escapeMarkdown(Clean(n)))
		}
		for _, name := range slices.Sorted(maps.Keys(c.Unavailable)) {
			fmt.Fprintf(out, "- %s cannot be had: %s\n", escapeMarkdown(Clean(name)), escapeMarkdown(Clean(c.Unavailable[name])))
		}
		fmt.Fprintln(out)
	}
	if troubles := v.troubles(); len(troubles) > 0 {
		fmt.Fprint(out, "## Checks that did not pass\n\n")
		for _, f := range troubles {
			fmt.Fprintf(out, "- %s\n", escapeMarkdown(v.finding(f)))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "## Repeat it\n\n```sh\n%s\ndyno check %s\n```\n", strings.ReplaceAll(command(d.Run.Plan.Command), "```", "'''"), c.Slug)
	return out.Flush()
}

// figures are the published ones beside ours, one table a level.
func (c *Claims) figures(out io.Writer) {
	if len(c.Published) == 0 {
		return
	}
	fmt.Fprint(out, "## Published figures beside ours\n\nThey are of other machines, versions and years: shown, never judged.\n")
	var levels []string
	for _, p := range c.Published {
		if !slices.Contains(levels, p.Level) {
			levels = append(levels, p.Level)
		}
	}
	computed := map[string]bool{}
	for _, level := range levels {
		if level != "" {
			fmt.Fprintf(out, "\n### %s\n", escapeMarkdown(Clean(level)))
		}
		fmt.Fprint(out, "\n| contestant | metric | better | published | date | ours |\n| --- | --- | --- | --: | --- | --: |\n")
		for i := range c.Published {
			p := &c.Published[i]
			if p.Level != level {
				continue
			}
			r := p.row()
			if r.how != "" {
				computed[p.Metric.Title+": "+p.Metric.Computed] = true
				r.ours += ", computed"
			}
			fmt.Fprintf(out, "| %s |\n", strings.Join(escaped([]string{Clean(p.Contestant), r.metric, r.better, r.published, r.date, r.ours}), " | "))
		}
	}
	fmt.Fprintln(out)
	for _, s := range slices.Sorted(maps.Keys(computed)) {
		fmt.Fprintf(out, "%s. ", escapeMarkdown(s))
	}
	if len(computed) > 0 {
		fmt.Fprint(out, "\n\n")
	}
}

// figureText is a published figure and ours, in words.
type figureText struct{ who, metric, better, published, date, ours, how string }

func (p *Published) row() figureText {
	r := figureText{who: Clean(p.Cell.String()), metric: p.Metric.Title, better: "smaller", date: Clean(p.Date),
		published: grouped(p.Value, decimals(p.Value)) + " " + p.Unit, ours: Missing + " " + Clean(p.Absent)}
	if p.Metric.More {
		r.better = "bigger"
	}
	if p.N > 0 {
		r.metric += " " + grouped(float64(p.N), 0)
	}
	if p.Note != "" {
		r.published += " (" + Clean(p.Note) + ")"
	}
	if p.Absent == "" {
		r.ours, r.how = estimateText(p.Ours, p.Metric.Unit), p.Metric.Computed
	}
	return r
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
	fmt.Fprintf(out, "\nServer on CPU %s, generator on CPU %s. %d valid epochs of %d rounds, %d of %d trials void.\n\n", list(h.ServerCPUs), list(h.GeneratorCPUs),
		v.a.Epochs, p.Rounds, v.Void, v.Valid+v.Void)
}

// FindingsPage writes what reproduced, what did not, and why, of several studies: for people who read the articles.
func FindingsPage(w io.Writer, all []*Data) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# Findings\n\n<!-- Written by `dyno check --findings` from the trials of the studies. -->\n\n")
	fmt.Fprint(out, "What the articles concluded, and what our own trials of today's versions say of it. Each study's page has the figures, their intervals and the machines;\n"+
		"[studies.md](studies.md) has the rules.\n\n")
	if len(all) == 0 {
		fmt.Fprint(out, "No study has committed trials yet.\n")
		return out.Flush()
	}
	fmt.Fprint(out, "| study | claims | reproduced | direction only | refuted | undecided | not testable here | not run |\n| --- | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, d := range all {
		c := d.Claims
		fields := []string{fmt.Sprintf("[%s](../studies/%s/README.md)", c.Slug, c.Slug), fmt.Sprint(len(c.Outcomes))}
		for _, verdict := range article.Verdicts {
			fields = append(fields, fmt.Sprint(c.having(verdict)))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | "))
	}
	for _, d := range all {
		c := d.Claims
		fmt.Fprintf(out, "\n## %s\n\n%s. %s\n", escapeMarkdown(Clean(c.Title)), escapeMarkdown(Clean(c.Source)), escapeMarkdown(hereAt(d.Run)))
		for _, verdict := range article.Verdicts {
			if c.having(verdict) == 0 {
				continue
			}
			fmt.Fprintf(out, "\n%s:\n\n", sentenceCaseWord(string(verdict)))
			for i := range c.Outcomes {
				if o := &c.Outcomes[i]; o.Verdict == verdict {
					fmt.Fprintf(out, "- %s\n", escapeMarkdown(findingText(o)))
				}
			}
		}
	}
	return out.Flush()
}

// findingText is a claim, our figures and the reason, in one line.
func findingText(o *article.Outcome) string {
	s := Clean(o.Claim.Text) + " Published: " + publishedText(o) + "."
	if ours := oursText(o); ours != "" {
		s += " Here: " + ours + "."
	}
	return s + " " + strings.ToUpper(o.Reason[:1]) + Clean(o.Reason[1:]) + "."
}

func (c *Claims) having(v article.Verdict) (n int) {
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
