package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/study"
)

// Each committed page matches the trials beside it, and all studies can be read.
func TestStudyPages(t *testing.T) {
	t.Parallel()
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	slugs, err := study.Slugs(pr.fsys)
	if err != nil || len(slugs) == 0 {
		t.Fatal(slugs, err)
	}
	var all []*study.Judged
	for _, slug := range slugs {
		st, err := pr.study(slug)
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := st.Stored(pr.root, st.Committed(pr.root))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if len(d.Claims.Outcomes) > 0 {
			all = append(all, d)
		}
		pages, err := study.Pages(d)
		if err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if got, err := os.ReadFile(filepath.Join(st.Committed(pr.root), name)); err != nil || !bytes.Equal(got, page) {
				t.Errorf("%s of %s is not what its trials say (%v): dyno check %[2]s --write writes it anew", name,
					slug, err)
			}
		}
	}
	coverage, err := study.Coverage(pr.fsys, all)
	if err != nil {
		t.Fatal(err)
	}
	for file, write := range map[string]func(io.Writer) error{
		findingsFile: func(w io.Writer) error { return study.FindingsPage(w, all) },
		coverageFile: func(w io.Writer) error { return study.CoveragePage(w, coverage) },
	} {
		var page bytes.Buffer
		if err := write(&page); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(pr.root, file)); err != nil || !bytes.Equal(got, page.Bytes()) {
			t.Errorf("%s is not what the trials say (%v): dyno check --findings writes it anew", file, err)
		}
	}
}

// A run that is not the committed one is shown with the claims that both judge differently.
func TestCheckAgainstCommitted(t *testing.T) {
	t.Parallel()
	p := &project{root: "../..", fsys: os.DirFS("../..")}
	st, err := p.study("iris-vs-netcore-templates")
	if err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(st.Committed(p.root))
	if err != nil {
		t.Fatal(err)
	}
	written := func() string {
		file := filepath.Join(t.TempDir(), record.TrialsFile+".gz")
		var b bytes.Buffer
		if err := study.Trim(&b, run); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	same := written()
	run.Trials = run.Trials[:len(run.Trials)/8] // too few epochs for intervals
	for file, differ := range map[string]bool{same: false, written(): true} {
		d, err := st.Stored(p.root, file)
		if err != nil {
			t.Fatal(err)
		}
		a := d.Claims.Committed
		if a == nil || a.Judged == 0 || a.File != st.Trials() || len(a.Differ) > 0 != differ {
			t.Fatalf("differ %v, want %v: %+v", a != nil && len(a.Differ) > 0, differ, a)
		}
		var text bytes.Buffer
		if err := study.ClaimsText(&text, d); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("for %d of %d claims", a.Judged-len(a.Differ), a.Judged)
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	d, err := st.Stored(p.root, st.Committed(p.root))
	if err != nil || d.Claims.Committed != nil {
		t.Error("the committed run is compared with itself:", err)
	}
}
