package report

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/checks"
)

//go:embed page.tmpl
var pageText string

//go:embed levels.tmpl
var levelsText string

//go:embed levels.css
var levelsStyle string

//go:embed family.css
var familyStyle string

//go:embed page.css
var pageStyle string

//go:embed chart.css
var chartStyle string

var pageTemplate = template.Must(template.Must(template.Must(template.New("page").Funcs(template.FuncMap{"tight": tight, "inc": func(n int) int { return n + 1 }}).
	Parse(pageText)).Parse(levelsText)).Parse(claimsTemplate))

// HTML writes one page that needs nothing else: no network, no script. It is light or dark as its reader's system is, has a form for
// narrow screens, and can be printed.
func HTML(w io.Writer, d *Data) error {
	if write := d.unjudged("html"); write != nil {
		return write(w, d)
	}
	v := newView(d)
	return pageTemplate.Execute(w, v.page())
}

// tight keeps a number, its unit and its interval on one line.
func tight(s string) string {
	s = unitAfter.ReplaceAllString(s, "$1\u00a0$2")
	return strings.NewReplacer("× (", "×\u00a0(", " = ", "\u00a0=\u00a0", " < ", "\u00a0<\u00a0").Replace(s)
}

var unitAfter = regexp.MustCompile(`([0-9∞–]) (×|%|ns|µs|ms|s|min|B|KiB|MiB|GiB|TiB|bytes)`)

// page is what the template shows.
type page struct {
	Style     template.CSS
	Title     string
	Claims    *claimsPage // nil where the study has none
	Kicker    string
	Answer    []string
	Open      bool // some intervals are unbounded
	Facts     []fact
	Columns   []pageColumn
	Rows      []pageRow
	Controls  []pageRow
	Legend    []legend
	Beside    []levelsTable // at further levels
	Charts    []pageChart
	Yardstick string
	Relation  string
	Matrix    []matrixRow
	Columns2  []string // of the matrix
	Sentences []sentence
	Others    []sentence // further pairs, where a matrix stands
	Canary    string
	Controls2 []string
	MDE       string
	Questions []question
	Troubles  []pageFinding
	Unknown   []pageFinding // that cannot tell
	Passes    []pageFinding
	Method    []fact
	Machine   []fact
	Built     []builtRow
	Starts    []pageStart
	StartsOf  []pageColumn // heads of its table
	Warmed    bool
	Failures  []pageFailure
	Command   string
	Seed      uint64
	Dyno      string
	Words     []word
}

type fact struct {
	Name, Value, Note string
	Class             string // pass, warn, fail, or empty
}

type pageColumn struct{ Head, Unit, Word string }

// pageRow is a line of the main table.
type pageRow struct {
	Class     string
	Tier      string
	FirstTier bool // a new tier begins
	Rank      string
	Title     string
	Meta      string
	Language  string
	Cells     []pageCell
	Notes     []string
	Struck    string
	Span      int
	Engine    string // that begins with this row, of many that are in order of theirs
}

type pageCell struct{ Value, Side, Absent string }

type legend struct{ Class, Name string }

type pageChart struct {
	Title, Text  string
	Wide, Narrow template.HTML
}

type pageFinding struct{ State, Title, Who, Text string }

func (v *view) page() page {
	all, neighbours := v.pairs()
	p := v.basics()
	style := pageStyle + chartStyle
	if p.Beside = v.besidePage(); len(p.Beside) > 0 {
		style += levelsStyle
	}
	p.Style, p.Kicker, p.Answer, p.Open = template.CSS(style), strings.Join(v.head(), " · "), v.answer(), v.open()
	p.Facts, p.Columns, p.Legend, p.Charts, p.Yardstick, p.MDE = v.facts(), v.columns(), v.legend(), v.charts(), v.yardstick(), v.mde()
	p.Controls2, p.Method, p.Words = v.others(), v.methodFacts(), v.duelWords()
	p.Canary, _ = v.canary()
	tier := 0
	for _, r := range v.rows {
		row := v.pageRow(r)
		row.FirstTier = r.Struck == "" && r.Place.Tier != tier
		tier = r.Place.Tier
		p.Rows = append(p.Rows, row)
	}
	for _, r := range v.controls {
		p.Controls = append(p.Controls, v.pageRow(r))
	}
	if len(all) > matrixFrom {
		p.Columns2, p.Matrix = v.matrixRows()
		p.Relation = lower(v.primary().Title)
	}
	for _, pair := range all {
		near := len(all) <= matrixFrom
		for _, n := range neighbours {
			near = near || n.A == pair.A && n.B == pair.B
		}
		if near {
			p.Sentences = append(p.Sentences, v.sentence(pair))
		} else {
			p.Others = append(p.Others, v.sentence(pair))
		}
	}
	return p
}

// duelWords leave out what no table of the page has.
func (v *view) duelWords() []word {
	return slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		m, ok := analysis.MetricNamed(w.ID)
		if !ok && slices.Contains(namesOf(analysis.Classic), w.ID) {
			return true
		}
		return ok && (m.Open() || m.Rare) && !v.has(m) && (v.beside() == nil || m.Rare)
	})
}

// basics are the parts of a page that do not depend on the protocol.
func (v *view) basics() page {
	p := page{
		Title: v.heading(), Claims: v.claimsPage(), Machine: v.machineFacts(), Built: v.builtRows(), Failures: v.failures(),
		Command: command(v.run.Plan.Command), Seed: v.run.Plan.Seed, Dyno: Clean(orElse(v.run.Plan.Dyno, "unknown")),
	}
	p.StartsOf, p.Starts = v.pageStarts()
	p.Warmed, p.Questions = v.warmed(), v.questions()
	for _, f := range v.troubles() {
		p.Troubles = append(p.Troubles, v.pageFinding(f))
	}
	for _, f := range v.Findings {
		switch f.State {
		case checks.CannotTell:
			p.Unknown = append(p.Unknown, v.pageFinding(f))
		case checks.Pass:
			p.Passes = append(p.Passes, v.pageFinding(f))
		}
	}
	return p
}

func (v *view) pageFinding(f checks.Finding) pageFinding {
	who := "the run"
	if f.Contestant != "" {
		who = v.title(f.Contestant)
	}
	return pageFinding{f.State.String(), Clean(f.Title), who, Clean(f.Text)}
}

// columns are the heads of the main table after its rank and contestant.
func (v *view) columns() (list []pageColumn) {
	for _, m := range v.shown() {
		s := v.scale(m)
		list = append(list, pageColumn{Head: orElse(m.Column, m.Title), Unit: strings.Replace(s.Name, "1/s", "per second", 1), Word: m.Name})
		if m.Name == v.primary().Name {
			list = append(list, pageColumn{Head: "× " + v.yardstick(), Word: "ratio"})
		}
	}
	return list
}

func (v *view) pageRow(r row) pageRow {
	p := pageRow{Tier: tierText(r), Rank: rankText(r), Title: r.Title, Meta: metaOf(r), Language: languageClass(r), Notes: r.Notes, Struck: r.Struck}
	if r.Built != nil && !r.Control {
		p.Meta = strings.Join(nonEmpty(p.Meta, Clean(r.Built.Version)), " · ")
	}
	switch {
	case r.Struck != "":
		p.Class, p.Span = "struck", len(v.columns())
		return p
	case r.Control:
		p.Class = "control"
	}
	for _, m := range v.shown() {
		c := v.cell(r.Name, m.Name)
		cell := pageCell{Absent: Clean(c.Absent)}
		if c.Absent == "" {
			cell.Value, _ = levelParts(c.Level, v.scale(m))
			cell.Side = intervalIn(c.Level, v.scale(m))
			if r.Place.LowerBound && m.AtCeiling && m.More {
				cell.Value = "≥ " + cell.Value
			}
		}
		p.Cells = append(p.Cells, cell)
		if m.Name == v.primary().Name {
			p.Cells = append(p.Cells, v.ratioCell(r, c))
		}
	}
	return p
}

func (v *view) ratioCell(r row, c analysis.Cell) pageCell {
	switch {
	case v.isYardstick(r):
		return pageCell{Value: "1"}
	case c.Absent == "" && c.Ratio.N > 0:
		value, interval := ratioParts(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
		return pageCell{Value: value, Side: strings.Trim(interval, "()")}
	}
	return pageCell{Absent: "no ratio"}
}

func (v *view) legend() (list []legend) {
	seen := map[string]int{}
	for _, r := range v.rows {
		name, class := "other", languageClass(r)
		if r.Built == nil {
			continue
		}
		if l, ok := languages[strings.ToLower(r.Built.Language)]; ok {
			name = l[0]
		}
		if i, ok := seen[class]; ok {
			if !strings.Contains(list[i].Name, name) {
				list[i].Name += ", " + name
			}
			continue
		}
		seen[class] = len(list)
		list = append(list, legend{class, name})
	}
	return list
}

func (v *view) charts() (list []pageChart) {
	for _, m := range v.shown() {
		if m.Unranked {
			continue
		}
		text := "Shown beside the primary metric; it decides nothing."
		if m.Name == v.primary().Name {
			text = "The primary metric: it alone decides the pairs."
		}
		c := pageChart{Title: m.Title, Text: text, Wide: template.HTML(v.chart(m, wideLayout, false)), Narrow: template.HTML(v.chart(m, narrowLayout, false))}
		list = append(list, c)
	}
	return list
}

func nonEmpty(parts ...string) (list []string) {
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return list
}

func share(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return PerCent(float64(part) / float64(whole))
}
