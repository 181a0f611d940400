package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"dyno/internal/report"
	"dyno/internal/study"
)

// Each committed page is what the trials beside it say, and all studies can be read.
func TestStudyPages(t *testing.T) {
	t.Chdir("../..")
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	slugs, err := study.Slugs(pr.fsys)
	if err != nil || len(slugs) == 0 {
		t.Fatal(slugs, err)
	}
	var all []*report.Data
	for _, slug := range slugs {
		st, err := pr.study(slug)
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := st.Stored(pr.root, filepath.FromSlash(st.Trials()))
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
		pages, err := report.Pages(d)
		if err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if got, err := os.ReadFile(st.Trials() + "/" + name); err != nil || !bytes.Equal(got, page) {
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
		findingsFile: func(w io.Writer) error { return report.FindingsPage(w, all) },
		coverageFile: func(w io.Writer) error { return report.CoveragePage(w, coverage) },
	} {
		var page bytes.Buffer
		if err := write(&page); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, page.Bytes()) {
			t.Errorf("%s is not what the trials say (%v): dyno check --findings writes it anew", file, err)
		}
	}
}
