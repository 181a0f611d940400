// Package document is what a report says, apart from how it looks: paragraphs, lists, facts, tables
// and charts, as data. Whoever has something to say builds a Document; Text, HTML, Markdown and SVG
// draw any Document, and know nothing of what it is about.
//
// Invariant: renderers make every string safe for their form (Clean, and the form's own escapes),
// so that a Document may carry what others wrote. The same Document gives the same bytes.
//
// A further output format is one more renderer in a file of this package, and one line in the table
// of formats of the caller.
package document

// Document is a title, what matters most, and sections with the rest. A terminal shows title and
// byline on one line, and each sentence of the lead on a line of its own.
type Document struct {
	Title    string
	Label    string   // what kind of document it is, if readers must know before they read on
	Byline   []string // where the figures come from, in a line's worth of facts
	Question string   // what was asked; a page begins with it
	Lead     []Prose  // the answer, sentence by sentence, the first of which a page has in bold
	Front    []Block  // the charts that a page shows with the answer, side by side
	Trust    []Fact   // the answers to what one must ask before one believes it, in a line; on a page only
	Facts    []Fact   // the few numbers that say how far to trust it; on a page only
	Sections []Section
	Comment  string // for those who edit the file; Markdown only
	NoChart  string // why SVG has nothing to draw
}

// Section is a part of a document under a heading; without a title it goes on with the one before.
type Section struct {
	ID, Title string // the ID is what links on a page lead to
	On        Forms
	Detail    bool // not part of the answer: a terminal shows it only if it is asked for, Markdown folds it away
	Folded    bool // a page shows the title alone until it is asked for the rest
	Blocks    []Block
}

// Forms are those that show a section.
type Forms int

// A page has room and folds; plain forms, text and Markdown, are read from top to bottom.
const (
	Everywhere Forms = iota
	OnPage
	OffPage
)

// Block is one of the types below with a method block.
type Block interface{ block() }

// Paragraph is a sentence or a few, after a label if there is one.
type Paragraph struct {
	Label string // "A/A check"
	Word  string // the Definition that the label links to
	Text  Prose
	Style Style // of the label; of the whole where there is none
}

// List is items, one below the other.
type List struct{ Items []Item }

// Item is a line of a list: a label, what is said, and what stands below it in small print.
type Item struct {
	Label string
	Style Style // of the label
	Text  Prose
	Code  string // in place of the text: a command to copy, which is never wrapped
	More  []Prose
}

// Facts are names with values.
type Facts struct{ Items []Fact }

// Fact is a name with a value.
type Fact struct {
	Name, Value string
	Note        string // on a page only
	Style       Style
}

// Table has a row for each thing and a column for each figure of it.
type Table struct {
	Title   string
	Note    string // below the title: what the figures are
	Columns []Column
	Rows    []Row
	After   string // below the table, where a page explains marks
	Rest    string // a terminal may leave out the last rows, and says "… and 7 " with it; "": it has all
}

// Column is what all cells of a column have in common.
type Column struct {
	Head, Unit string
	Word       string // the Definition that the head links to
	Number     bool   // to the right
	// it says what the row is of. Where a table is too wide, further columns go below, after the
	// last lead column again
	Lead bool
}

// Row is a line of a table.
type Row struct {
	Group  string // a heading that begins with this row
	Cells  []Cell // one for each column; those of a row without figures may end early
	Key    string // its colour in charts
	Style  Style
	Rule   bool     // a line above, on a page
	Struck string   // why there are no figures; the name is crossed out
	Notes  []string // what a reader must know beside the figures
}

// Cell is one figure, or a name.
type Cell struct {
	Value  string // lines are kept where the form can
	Side   string // its interval
	Small  string // below it, on a page only
	Absent string // why there is no value
	Link   string // Markdown only
	Style  Style
	Bar    float64 // from 0 to 1: the length of a bar beside the value, in a terminal
}

// Code is a text to copy; it is never wrapped.
type Code struct{ Text string }

// Log is the end of what a program wrote.
type Log struct {
	Title string
	Lines []string
}

// Fold is what few want to read: a page folds it away, plain forms leave it out.
type Fold struct {
	Title  string
	Blocks []Block
}

// Choice is several views of one thing, of which a page shows one at a time.
type Choice struct {
	ID      string
	Title   string // what is chosen
	Options []Option
}

// Option is one view of a Choice.
type Option struct {
	Name  string
	Block Block
}

// Picture is a file beside a document; Markdown only.
type Picture struct{ File, Words string }

// Definitions explain words; heads and labels link to them.
type Definitions struct{ Items []Definition }

// Definition explains one word.
type Definition struct{ ID, Name, Text string }

// Legend explains colours of charts.
type Legend struct{ Items []LegendItem }

// LegendItem is one colour.
type LegendItem struct{ Key, Name string }

func (Paragraph) block()   {}
func (List) block()        {}
func (Facts) block()       {}
func (Table) block()       {}
func (Code) block()        {}
func (Log) block()         {}
func (Fold) block()        {}
func (Definitions) block() {}
func (Legend) block()      {}
func (Choice) block()      {}
func (Picture) block()     {}
func (BarChart) block()    {}
func (ShiftChart) block()  {}
func (LineChart) block()   {}

// Prose is a piece of text, parts of which may have a style.
type Prose []Span

// Span is text of one style.
type Span struct {
	Text  string
	Style Style
	Link  string // Markdown only
}

// Style says what a piece of text means, not how it looks.
type Style int

const (
	None   Style = iota
	Strong       // what to read first
	Quiet        // what can be skipped
	Good
	Same
	Warn
	Bad
	Markup // already Markdown; other forms show it as it is
)

// classes are the styles' names in pages.
var classes = [...]string{"", "strong", "quiet", "good", "same", "warn", "bad", ""}

// Plain is text without a style.
func Plain(s string) Prose {
	if s == "" {
		return nil
	}
	return Prose{{Text: s}}
}

// Texts are several pieces without a style.
func Texts(list ...string) (all []Prose) {
	for _, s := range list {
		if s != "" {
			all = append(all, Plain(s))
		}
	}
	return all
}

// Items are the lines of a list without labels.
func Items(lines ...string) List {
	var l List
	for _, t := range Texts(lines...) {
		l.Items = append(l.Items, Item{Text: t})
	}
	return l
}

// String is the text without its styles.
func (t Prose) String() string {
	var s string
	for _, p := range t {
		s += p.Text
	}
	return s
}

// Missing stands where there is no figure.
const Missing = "–"

// text is the head with its unit, on one line.
func (c Column) text() string {
	if c.Unit == "" {
		return c.Head
	}
	return c.Head + " " + c.Unit
}

// text is the value with its interval, on one line.
func (c Cell) text() string {
	switch {
	case c.Value == "" && c.Absent != "":
		return Missing
	case c.Side == "":
		return c.Value
	}
	return c.Value + " " + c.Side
}

// name is the index of the column that names the rows: the last of the lead ones.
func (t *Table) name() (last int) {
	for i, c := range t.Columns {
		if c.Lead {
			last = i
		}
	}
	return last
}
