// Package document represents a report's content as data, independent of its appearance:
// paragraphs, lists, facts, tables and charts. Other packages build a Document; Text, HTML,
// Markdown and SVG draw any Document and do not know its subject.
//
// Invariant: renderers make every string safe for their form (Clean, and the form's own escapes),
// so that a Document may contain text from other programs. The same Document gives the same bytes.
//
// A further output format is one more renderer in a file in this package, and one line in the
// caller's table of formats.
package document

import "strings"

// Document is a title, a lead with the most important results, and sections. A terminal shows title
// and byline on one line, and each sentence in the lead on its own line.
type Document struct {
	Title    string
	Label    string   // the kind of document, if readers must know it first
	Byline   []string // where the figures come from, in one line
	Question string   // the question; a page begins with it
	Lead     []Prose  // the answer, by sentence; a page shows the first in bold
	Front    []Block  // the charts that a page shows next to the answer
	Trust    []Item   // how far to trust the answer; on a page only
	Sections []Section
	Comment  string // note for those who edit the file; Markdown only
	NoChart  string // why SVG cannot draw a chart
}

// Section is a part of a document under a heading; without a title it continues the previous one.
type Section struct {
	ID, Title string // the ID is a link target on a page
	On        Forms
	Detail    bool // not part of the answer: a terminal shows it only on request, Markdown folds it
	Folded    bool // a page shows only the title until the reader opens it, as of each large section
	Blocks    []Block
}

// Forms are the forms that show a section.
type Forms int

// The values of Forms. A page can fold sections; plain forms, text and Markdown, are read from top
// to bottom.
const (
	Everywhere Forms = iota
	OnPage
	OffPage
)

// Block is one of the types below with a method block.
type Block interface{ block() }

// Paragraph is one or a few sentences with an optional label.
type Paragraph struct {
	Label string // for example "A/A check"
	Text  Prose
	Style Style // style of the label; without a label, of the whole paragraph
}

// List is a list of items.
type List struct{ Items []Item }

// Item is a list item: a label, a text, and smaller text below.
type Item struct {
	Label string
	Style Style // style of the label
	Text  Prose
	Code  string // replaces the text: a command to copy, which is never wrapped
	More  []Prose
}

// Fact is a name with a value.
type Fact struct{ Name, Value string }

// Table has a row for each contestant or other subject, and a column for each figure.
type Table struct {
	Title   string
	Note    string // describes the figures, below the title
	Columns []Column
	Rows    []Row
	After   string // below the table, where a page explains marks
	// names the rows that a terminal may leave out at the end: "… and 7 " precedes it; "": it shows
	// all rows
	Rest string
}

// Column describes a column.
type Column struct {
	Head, Unit string
	Number     bool // aligned right
	// Lead columns identify the row. If a table is too wide, further columns follow below, with the
	// last lead column repeated.
	Lead bool
}

// Row is a table line.
type Row struct {
	Group    string // a heading that begins with this row
	Cells    []Cell // one for each column; a row without figures may have fewer
	Key      string // the row's colour in charts
	Style    Style
	Rule     bool     // a line above, on a page
	Excluded string   // why there are no figures
	Failed   bool     // the name is crossed out
	Notes    []string // remarks on the figures
}

// reasonStyle returns the style for the reason why a row has no figures.
func (r *Row) reasonStyle() Style {
	if r.Failed {
		return Bad
	}
	return Quiet
}

// Cell is one figure, or a name.
type Cell struct {
	Value  string // line breaks are kept if the form supports them
	Side   string // the interval beside the value
	Small  string // below it, on a page only
	Absent string // why there is no value, if Value is ""
	Link   string // Markdown only
	Style  Style
	Bar    float64 // length of a bar beside the value, 0 to 1, in a terminal
}

// Code is a text to copy; it is never wrapped.
type Code struct{ Text string }

// Log is the end of a program's output.
type Log struct {
	Title string
	Lines []string
}

// Choice is a set of alternative views; a page shows one at a time.
type Choice struct {
	ID      string
	Title   string // names the choice
	Options []Option
}

// Option is one view in a Choice.
type Option struct {
	Name  string
	Block Block
}

// Picture is a link to an image file next to the document; Markdown only.
type Picture struct{ File, Words string }

// Legend explains chart colours.
type Legend struct{ Items []LegendItem }

// LegendItem is one colour.
type LegendItem struct{ Key, Name string }

func (Paragraph) block() {}
func (List) block()      {}
func (Table) block()     {}
func (Code) block()      {}
func (Log) block()       {}
func (Legend) block()    {}
func (Choice) block()    {}
func (Picture) block()   {}
func (BarChart) block()  {}
func (LineChart) block() {}

// Prose is text whose parts may have a style.
type Prose []Span

// Span is text in one style.
type Span struct {
	Text  string
	Style Style
	Link  string // Markdown only
}

// Style is the meaning of text, not its appearance.
type Style int

const (
	None   Style = iota
	Strong       // to be read first
	Quiet        // may be skipped
	Good
	Same
	Warn
	Bad
	Markup // already Markdown; other forms show it as it is
)

// classes are the styles' names in pages.
var classes = [...]string{"", "strong", "quiet", "good", "same", "warn", "bad", ""}

// Para returns a paragraph of unstyled text.
func Para(s string) Paragraph { return Paragraph{Text: Plain(s)} }

// Stopped makes s end with exactly one full stop.
func Stopped(s string) string { return strings.TrimSuffix(s, ".") + "." }

// Plain returns text without a style.
func Plain(s string) Prose {
	if s == "" {
		return nil
	}
	return Prose{{Text: s}}
}

// Texts returns several pieces of text without a style.
func Texts(list ...string) (all []Prose) {
	for _, s := range list {
		if s != "" {
			all = append(all, Plain(s))
		}
	}
	return all
}

// Items returns a list of items without labels.
func Items(lines ...string) List {
	var l List
	for _, t := range Texts(lines...) {
		l.Items = append(l.Items, Item{Text: t})
	}
	return l
}

// String returns the text without its styles.
func (t Prose) String() string {
	var s string
	for _, p := range t {
		s += p.Text
	}
	return s
}

// Missing replaces a figure that does not exist.
const Missing = "–"

// text returns the header with its unit, on one line.
func (c Column) text() string {
	if c.Unit == "" {
		return c.Head
	}
	return c.Head + " " + c.Unit
}

// text returns the value with its interval, on one line.
func (c Cell) text() string {
	switch {
	case c.missing() != "":
		return Missing
	case c.Side == "":
		return c.Value
	}
	return c.Value + " " + c.Side
}

// missing says why the cell has no value; "" if it has one.
func (c Cell) missing() string {
	if c.Value != "" {
		return ""
	}
	return c.Absent
}

// name returns the index of the column that names the rows: the last lead column.
func (t *Table) name() (last int) {
	for i, c := range t.Columns {
		if c.Lead {
			last = i
		}
	}
	return last
}
