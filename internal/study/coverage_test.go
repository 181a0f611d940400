package study

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// Every sentence has a claim or a reason, and every claim's sentence exists.
func TestCoverage(t *testing.T) {
	d := evaluatedFake(t, Choice{})
	files := project(map[string]string{"study.toml": fakeStudy})
	covered := func(rows string) (*Covered, error) {
		files[sentencesFile] = &fstest.MapFile{Data: []byte("id,place,says,untestable,missing\n" +
			"F,A. Uthor,Fast and slow,,\n" + rows)}
		return Coverage(files, []*Judged{d})
	}
	c, err := covered("F-01,p. 1,Fast is fast,,\nF-02,p. 2,All is right,,a proxy\nF-03,p. 3,And small,,\n" +
		"F-04,p. 4,Thanks,Nothing is claimed.,\nF-05,p. 5,It scales,,no level has a million connections\n")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := CoveragePage(&page, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "coverage.md", page.Bytes())
	for rows, want := range map[string]string{
		"F-01,p,x,,\nF-02,p,x,,\nF-03,p,x,,\nF-04,p,x,,\n": "no claim judges F-04, and nothing says why",
		"F-01,p,x,why,\nF-02,p,x,,\nF-03,p,x,,\n":          "F-01 is said to be untestable, but",
		"F-01,p,x,,\nF-02,p,x,,\n":                         "the claim again judges F-03, which is not in",
	} {
		if _, err := covered(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", rows, err, want)
		}
	}
}
