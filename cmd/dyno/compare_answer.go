package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"dyno/internal/analysis"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/study"
)

// answer prints what the run says of HEAD against BASE: one sentence, and each condition's state. It reports whether one failed.
func answer(w io.Writer, r *result.Run, data *report.Data, conditions []condition) (anyFailed bool) {
	fmt.Fprintf(w, "\n%s.\n", answerSentence(r, data.Analysis))
	if same := identical(r); same != "" {
		fmt.Fprintf(w, "%s.\n", same)
	}
	var js []judgement
	for _, c := range conditions {
		js = append(js, c.judge(data.Analysis))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, j := range withdrawn(js, data.Findings) {
		figure := j.note
		if j.change.N > 0 {
			figure = strings.TrimSuffix(study.ChangeText(j.change)+": "+j.note, ": ")
		}
		fmt.Fprintf(t, "fail-if %s\t%s\t%s\n", j.text, j.state, figure)
		anyFailed = anyFailed || j.state == failed
	}
	t.Flush()
	return anyFailed
}

// answerSentence is the verdict in words, without a full stop.
func answerSentence(r *result.Run, a *analysis.Analysis) string {
	for _, name := range []string{baseName, headName} {
		if f := r.FailureOf(name); f != nil {
			return fmt.Sprintf("no answer: %s has no figure, for it failed at %s", name, f.Stage)
		}
	}
	p, ok := a.Pair(headName, baseName, a.Primary)
	if !ok || p.Ratio.N == 0 {
		return "no answer: nothing was measured that counts"
	}
	m, _ := analysis.MetricNamed(a.Primary)
	words, more := m.Says().Rise, p.Ratio.Value-1
	if more < 0 {
		words, more = m.Says().Fall, -more
	}
	return "head " + fmt.Sprintf(words, report.PerCent(more)+" "+rangeText(p.Ratio)) + " base: " + verdictText(p, a)
}

// verdictText says what the change amounts to.
func verdictText(p analysis.Pair, a *analysis.Analysis) string {
	within := "within " + report.PerCent(a.Margin)
	way := "worse"
	if p.Better == headName {
		way = "better"
	}
	switch {
	case a.Interim == 0:
		return "undecided, for the run ended before its first look"
	case p.Verdict == analysis.Different:
		return way
	case p.Verdict == analysis.Negligible:
		return way + ", but " + within
	case p.Verdict == analysis.Equivalent:
		return "a tie " + within
	case p.Note != "":
		return "undecided, for " + p.Note
	}
	return "undecided"
}

// rangeText is the interval of a change whose direction is told: "(3.9–5.3 %)", or with both directions where it holds none at all.
func rangeText(e analysis.Estimate) string {
	lo, hi := e.Lo-1, e.Hi-1
	if e.Value < 1 {
		lo, hi = -hi, -lo
	}
	if math.IsInf(e.Hi, 1) {
		return "(too few epochs for an interval)"
	}
	if lo < 0 {
		return fmt.Sprintf("(%s to %s)", study.SignedPerCent(e.Lo-1), study.SignedPerCent(e.Hi-1))
	}
	return fmt.Sprintf("(%s–%s)", strings.TrimSuffix(report.PerCent(lo), " %"), report.PerCent(hi))
}
