package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// mostCommitted is the most that the trials of a study may take in the repository, bytes.
const mostCommitted = 5 << 20

// A trimmed run says word for word what the whole one says, and is much smaller.
func TestTrimmedRunSaysTheSame(t *testing.T) {
	const root = "../.."
	studies, err := study.All(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range studies {
		slug, file := st.Slug, filepath.Join(st.Committed(root), record.TrialsFile+".gz")
		stat, err := os.Stat(file)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil || stat.Size() > mostCommitted {
			t.Errorf("%s: %v, %d bytes; the most is %d: scripts/trim makes it smaller", file, err, stat.Size(),
				mostCommitted)
			continue
		}
		if stat.Size() > 200_000 || testing.Short() && slug != "httprouter-vs-fasthttp" {
			continue // a short record of each kind shows it; each is judged twice
		}
		whole, err := record.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		faulty := len(whole.Trials) / 2
		had := whole.Trials[faulty].Load.Service != "" // it was not committed trimmed
		whole.Trials[faulty].Load.Failed++             // its histogram lacks one
		want := said(t, st, whole)
		var b bytes.Buffer
		if err := trim(&b, whole); err != nil {
			t.Fatal(err)
		}
		if size := int64(b.Len()); had && size > stat.Size()/2 {
			t.Errorf("%s: trimmed it takes %d bytes of %d", slug, size, stat.Size())
		}
		z, err := gzip.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		trimmed, err := record.Read(z, "trimmed")
		if err != nil {
			t.Fatal(err)
		}
		if got := said(t, st, trimmed); got != want {
			t.Errorf("%s: trimmed it says something else", slug)
		}
		for i := range trimmed.Trials {
			if kept := trimmed.Trials[i].Load.Service != ""; kept != (had && i == faulty) {
				t.Fatalf("%s: of trial %d (the faulty one is %d) the histogram is kept: %t", slug, i, faulty, kept)
			}
		}
	}
}

// said is all that a run says: its report, the verdicts on the claims, and the study's page.
func said(t *testing.T, st *study.Study, run *record.Run) string {
	t.Helper()
	data, err := st.JudgeClaims(study.Evaluate(run), "trials")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, write := range []report.Writer{report.Text, report.HTML, report.CSV} {
		if err := write(&b, data.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(study.ClaimsJSON(&b, data), study.Readme(&b, data)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
