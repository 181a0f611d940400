package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/study"
)

// Each committed page is what the trials say, and all studies can be read.
func TestStudyPages(t *testing.T) {
	files, err := pages("../..")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for name, page := range files {
		got, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s is not what the trials say (%v): go run ./scripts/pages writes it anew", name, err)
		}
	}
}

// Every sentence has a claim or a reason, and every claim's sentence exists.
func TestCoverage(t *testing.T) {
	checkout := os.DirFS("../..")
	studies, err := study.All(checkout)
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := fs.ReadFile(checkout, study.SentencesFile)
	if err != nil {
		t.Fatal(err)
	}
	rows := string(sentences)
	judged := ""
	for _, s := range studies {
		for _, c := range study.Current(s.Claims) {
			if len(c.Sentences) > 0 {
				judged = c.Sentences[0]
			}
		}
	}
	at := strings.Index(rows, "\n"+judged+",") + 1
	end := at + strings.Index(rows[at:], "\n") + 1
	article := judged[:1]
	for want, row := range map[string]string{
		"no claim judges " + article + "-999, and nothing says why": rows[at:end] + article + "-999,p. 1,It is fast,,\n",
		judged + " is said to be untestable, but":                   judged + ",p. 1,It is fast,why,\n",
		" judges " + judged + ", which is not in":                   "",
	} {
		changed := rows[:at] + row + rows[end:]
		files := fstest.MapFS{study.SentencesFile: {Data: []byte(changed)}}
		if _, err := cover(files, studies, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	c, err := cover(checkout, studies, nil) // none is judged
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Articles {
		for j := range c.Articles[i].Sentences {
			if s := &c.Articles[i].Sentences[j]; c.class(s) == isJudged {
				t.Errorf("%s is said to be judged", s.ID)
			}
		}
	}
}
