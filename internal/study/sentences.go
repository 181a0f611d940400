package study

import (
	"fmt"
	"io/fs"
	"regexp"
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
func ReadSentences(fsys fs.FS, path string) (out []Article, err error) {
	seen := map[string]bool{}
	err = readTable(fsys, path, sentenceColumns, func(row []string) (field int, wrong string) {
		s := Sentence{ID: row[0], Place: row[1], Says: row[2], Untestable: row[3], Missing: row[4]}
		last := len(out) - 1
		switch {
		case seen[s.ID]:
			wrong = s.ID + " is listed twice"
		case articleLetter.MatchString(s.ID):
			out = append(out, Article{Letter: s.ID, Title: s.Says, Source: s.Place})
		case !sentenceID.MatchString(s.ID):
			wrong = fmt.Sprintf("%q: want the id of a sentence, a letter and a number such as F-12", s.ID)
		case last < 0 || s.ID[:1] != out[last].Letter:
			wrong = fmt.Sprintf("%s is not below its article, the row %s", s.ID, s.ID[:1])
		case s.Says == "":
			field, wrong = 2, s.ID+" says nothing"
		case s.Untestable != "" && s.Missing != "":
			field, wrong = 3, s.ID+" cannot be both untestable and not measured yet"
		default:
			out[last].Sentences = append(out[last].Sentences, s)
		}
		seen[s.ID] = true
		return field, wrong
	})
	return out, err
}
