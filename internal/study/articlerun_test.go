package study

import (
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/record"
)

// Unpublished figures have no row, and a contestant that failed has the reason. The committed pages
// show the other cases.
func TestArticleRun(t *testing.T) {
	run, err := Open("../../studies/iris-vs-netcore-mvc/classic.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	run.Failures = append(run.Failures, record.Failure{Contestant: run.Plan.Contestants[0], Stage: "verify",
		Reason: "404"})
	r := classicRun{File: "classic.jsonl.gz", Data: Evaluate(run)}
	var b strings.Builder
	if err := document.Markdown(&b, &document.Document{Sections: []document.Section{r.section()}}, 1); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if !strings.Contains(page, "| dyno here |") || strings.Contains(page, "published") ||
		!strings.Contains(page, ": failed at verify: 404") || strings.Contains(page, "NaN") {
		t.Error(page)
	}
}
