package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/study"
)

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
		file := filepath.Join(t.TempDir(), record.TrialsFile)
		var b bytes.Buffer
		if err := record.Write(&b, run); err != nil {
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
