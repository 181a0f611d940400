package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"

	"dyno/internal/conf"
)

// Article is a published benchmark, sentence by sentence.
type Article struct {
	Letter, Title, Source string
	Sentences             []Sentence
}

// Sentence is a sentence, table row or caption in an article that concludes, claims or measures
// something, in our own words.
type Sentence struct {
	ID         string // the article's letter and a number: F-12
	Place      string // where in the article
	Says       string
	Untestable string // why no bench can test it; else ""
	Missing    string // measurements needed before it can be judged fully; else ""
}

// sentenceColumns is the header of sentences.csv.
var sentenceColumns = []string{"id", "place", "says", "untestable", "missing"}

var (
	sentenceID    = regexp.MustCompile(`^[A-Z]-[0-9]{2,3}$`)
	articleLetter = regexp.MustCompile(`^[A-Z]$`)
)

// ReadSentences reads the sentences.csv at path. A row whose id is a single letter begins an
// article: its place is the source, and it says the title. ReadSentences returns all errors up to
// the first malformed row, each with file:line:column.
func ReadSentences(fsys fs.FS, path string) ([]Article, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(sentenceColumns)
	var out []Article
	var all []error
	fail := func(field int, format string, args ...any) {
		line, column := r.FieldPos(field)
		all = append(all, &conf.Error{Path: path, Line: line, Column: column, Text: fmt.Sprintf(format, args...)})
	}
	seen := map[string]bool{}
	for {
		row, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return out, errors.Join(all...)
		case errors.As(err, &bad):
			all = append(all, &conf.Error{Path: path, Line: bad.Line, Column: bad.Column, Text: bad.Err.Error()})
			return nil, errors.Join(all...)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		s := Sentence{ID: row[0], Place: row[1], Says: row[2], Untestable: row[3], Missing: row[4]}
		last := len(out) - 1
		switch {
		case len(seen) == 0 && !slices.Equal(row, sentenceColumns):
			fail(0, "want the head %v", sentenceColumns)
			return nil, errors.Join(all...)
		case seen[s.ID]:
			fail(0, "%s stands here twice", s.ID)
		case len(seen) == 0:
		case articleLetter.MatchString(s.ID):
			out = append(out, Article{Letter: s.ID, Title: s.Says, Source: s.Place})
		case !sentenceID.MatchString(s.ID):
			fail(0, "%q: want the id of a sentence, a letter and a number such as F-12", s.ID)
		case last < 0 || s.ID[:1] != out[last].Letter:
			fail(0, "%s is not below its article, the row %s", s.ID, s.ID[:1])
		case s.Says == "":
			fail(2, "%s says nothing", s.ID)
		case s.Untestable != "" && s.Missing != "":
			fail(3, "%s cannot be both untestable and not measured yet", s.ID)
		default:
			out[last].Sentences = append(out[last].Sentences, s)
		}
		seen[s.ID] = true
	}
}
