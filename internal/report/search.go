package report

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Capacity is what a search found of a contestant in one epoch: the highest rate, in requests per second, at which it keeps the objective.
type Capacity struct {
	Contestant          string
	Rate, Lo, Hi        float64 // 95 %; Hi is +Inf where every probe passed
	Top                 float64 // what it bore in a closed loop
	Probes              int
	Confirmed, Confirms int // of the long probes a little below Rate, those that passed
	Epoch               int
}

const searchLabel = "search: the highest rate that keeps the objective, by open-loop probes in turns; intervals, no verdicts"

// search is a view of what was found.
type search struct{ *view }

func newSearch(d *Data) *search {
	s := &search{newView(d)}
	s.struckLast()
	return s
}

// objective says what is to be kept.
func (s *search) objective() string {
	o := s.run.Plan.SLO
	if o == nil {
		return "no objective is recorded"
	}
	return fmt.Sprintf("p%g of the response time below %v, at most %s errors", 100*o.Quantile, time.Duration(o.LimitNS), PerCent(o.ErrorShare))
}

func (s *search) head() []string {
	return []string{count(len(s.rows), "contestant"), "scenario " + Clean(s.run.Plan.Scenario), count(s.run.Plan.Level.Connections, "connection"), s.objective(),
		count(s.Valid, "probe") + " valid"}
}

// searchLine is a contestant's line of figures.
type searchLine struct {
	row
	cells []string // rate, interval, confirmed, closed loop
}

var searchHeads = []string{"highest rate/s", "95 %", "confirmed", "closed loop/s"}

// lines has a line for each contestant and epoch.
func (s *search) lines() (out []searchLine) {
	for _, r := range append(s.rows, s.controls...) {
		n := 0
		for _, c := range s.Found {
			if c.Contestant != r.Name || r.Struck != "" {
				continue
			}
			n++
			held := fmt.Sprintf("%d of %d", c.Confirmed, c.Confirms)
			if c.Confirmed < c.Confirms {
				held += ", unstable"
			}
			out = append(out, searchLine{r, []string{grouped(c.Rate, decimals3(c.Rate)), openBound(c.Lo, decimals3(c.Lo)) + "–" + openBound(c.Hi, decimals3(c.Rate)), held, grouped(c.Top, decimals3(c.Top))}})
		}
		if n == 0 {
			out = append(out, searchLine{r, []string{Missing, Missing, Missing, Missing}})
		}
	}
	return out
}

// sentences are what a search says in words.
func (s *search) sentences() []string {
	list := append([]string{sentenceCase(searchLabel) + ". The objective: " + s.objective() + "."}, s.forbidding()...)
	return slices.Concat(list, s.notes(), s.endedEarly())
}

// notes are what it found beside figures.
func (s *search) notes() (list []string) {
	for _, c := range s.Found {
		switch {
		case math.IsInf(c.Hi, 1):
			list = append(list, c.Contestant+" passed every probe: its rate is a lower bound.")
		case c.Lo == 0:
			list = append(list, c.Contestant+" failed every probe: its rate is an upper bound.")
		}
	}
	if a := s.absent(); a != "" {
		list = append(list, a)
	}
	return list
}

func searchText(w io.Writer, d *Data) error {
	s := newSearch(d)
	t := newText(w, s.view)
	t.unjudgedHead(sentenceCase(searchLabel), s.head(), s.notes())
	lines := s.lines()
	table := []column{{head: contestantHead}}
	for _, l := range lines {
		table[0].cells = append(table[0].cells, crossed(l.row)+shorten(l.Title, 32))
	}
	for i, h := range searchHeads {
		c := column{head: h, right: true}
		for _, l := range lines {
			c.cells = append(c.cells, l.cells[i])
		}
		table = append(table, c)
	}
	t.line(t.paint(dim, line(table, -1, nil)))
	for i, l := range lines {
		t.line(line(table, i, nil))
		if l.Struck != "" {
			t.para("  ", "", l.Struck, "", "")
		}
	}
	t.line("")
	t.unjudgedEnd()
	return t.out.Flush()
}

func searchMarkdown(w io.Writer, d *Data) error {
	s := newSearch(d)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### %s\n\n%s\n\n", escapeMarkdown(s.heading()), escapeMarkdown(strings.Join(s.sentences(), " ")))
	fmt.Fprintf(out, "| contestant | %s |\n| --- | --: | --: | --- | --: |\n", strings.Join(escaped(searchHeads), " | "))
	for _, l := range s.lines() {
		fmt.Fprintf(out, "| %s | %s |\n", markdownTitle(l.row), strings.Join(escaped(l.cells), " | "))
	}
	fmt.Fprintf(out, "\n%s.\n\n", escapeMarkdown(strings.Join(s.head(), ", ")))
	s.markdownEnd(out)
	return out.Flush()
}

// searchCSV writes one row per contestant and epoch, with a head row.
func searchCSV(w io.Writer, d *Data) error {
	out := csv.NewWriter(w)
	out.Write([]string{"protocol", "contestant", "epoch", "rate_per_sec", "lo_per_sec", "hi_per_sec", "closed_loop_per_sec", "probes", "confirmed", "confirms"})
	number := func(v float64) string {
		if math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, c := range d.Found {
		out.Write([]string{"search", c.Contestant, strconv.Itoa(c.Epoch), number(c.Rate), number(c.Lo), number(c.Hi), number(c.Top),
			strconv.Itoa(c.Probes), strconv.Itoa(c.Confirmed), strconv.Itoa(c.Confirms)})
	}
	out.Flush()
	return out.Error()
}

// searchJSON writes run.json of a search; doc/format.md has its keys.
func searchJSON(w io.Writer, d *Data) error {
	s := newSearch(d)
	list := []object{}
	for _, c := range d.Found {
		list = append(list, object{{"contestant", c.Contestant}, {"epoch", c.Epoch}, {"rate_per_sec", number(c.Rate)}, {"lo_per_sec", number(c.Lo)}, {"hi_per_sec", number(c.Hi)},
			{"closed_loop_per_sec", number(c.Top)}, {"probes", c.Probes}, {"confirmed", c.Confirmed}, {"confirms", c.Confirms}})
	}
	return writeObject(w, d, object{
		{"format", JSONFormat}, {"label", searchLabel}, {"answer", s.sentences()}, {"plan", s.run.Plan}, {"host", s.run.Host}, {"end", s.run.End},
		{"capacities", list}, {"findings", s.findingsJSON()},
	})
}

func searchHTML(w io.Writer, d *Data) error {
	s := newSearch(d)
	p := s.unjudgedPage(s.head(), wordsOf([]word{
		{"search", "Highest rate", "The rate of Poisson arrivals at which half of all probes keep the objective: 12 probes by probabilistic bisection, 12 around what that found, and a logistic " +
			"curve through all. Response time counts from when a request was due."},
		{"confirmed", "Confirmed", "Three probes of 10 s at 95 % of the rate. If not all pass, the figure is unstable."},
	}, "void", "first_answer", "warm_up"))
	p.Heading, p.Answer = "What each can bear", s.sentences()
	p.Facts = []fact{{Name: "Objective", Value: s.objective()}, {Name: "Probes", Value: fmt.Sprint(s.Valid), Note: fmt.Sprintf("valid; %d more void", s.Void)}, s.checksFact()}
	t := levelsTable{}
	for i, h := range searchHeads {
		t.Columns = append(t.Columns, pageColumn{Head: h, Word: []string{"search", "search", "confirmed", "search"}[i]})
	}
	for _, l := range s.lines() {
		row := unjudgedRow(l.row, len(searchHeads))
		row.Meta = metaOf(l.row)
		for _, c := range l.cells {
			row.Cells = append(row.Cells, pageCell{Value: c})
		}
		t.Rows = append(t.Rows, row)
	}
	p.Tables = []levelsTable{t}
	return pageTemplate.ExecuteTemplate(w, "classic", p)
}

func searchSVG(io.Writer, *Data) error {
	return errors.New("draw chart: a search has one figure for each contestant; take --format html, text, markdown, csv or json")
}
