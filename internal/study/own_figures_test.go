package study

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// article gives an article's published figures, as if a run had measured them exactly. Each metric
// has the dates' figures in order: the first that has a cell counts.
type article struct {
	study   *Study
	figures []Figure
	dates   []string
}

// names lists other metrics for published figures, by a claim's metric.
var names = map[string][]string{"service_mean": {"service_mean", "latency_mean"}}

// figure returns a cell's published value.
func (a *article) figure(c Cell, metric string) (float64, bool) {
	for _, date := range a.dates {
		for _, name := range append(slices.Clone(names[metric]), metric) {
			for _, f := range a.figures {
				if f.Cell == c && f.Metric.Name == name && f.To.Contestant == "" && strings.HasPrefix(f.Date, date) {
					return f.Base, true
				}
			}
		}
		if metric == "cpu_time" { // of one load: what is published is the time since the start
			if now, ok := a.figure(c, "cpu_since_start"); ok {
				before, _ := a.figure(Cell{Contestant: c.Contestant, Level: a.loadBefore(c.Level)}, "cpu_since_start")
				return now - before, true
			}
		}
	}
	return 0, false
}

// loadBefore returns the level whose processes a level continues to load; idle for the first.
func (a *article) loadBefore(level string) string {
	for i := range a.study.Levels {
		if l := &a.study.Levels[i]; l.Name == level && l.Continues {
			return a.study.Levels[i-1].Name
		}
	}
	return idle
}

// ratio returns the published ratio of one cell to another, even if only a lead or a drop is
// published.
func (a *article) ratio(x, y Cell, metric string) (float64, bool) {
	v, ok := a.figure(x, metric)
	w, ok2 := a.figure(y, metric)
	if ok && ok2 && w > 0 {
		return v / w, true
	}
	for _, f := range a.figures {
		if metric == "throughput" && f.Cell == x && f.To == y {
			if f.Metric.More {
				return 1 + f.Base/100, true
			}
			return 1 - f.Base/100, true
		}
	}
	return 0, false
}

func (a *article) Missing(c Cell, metric string) (Verdict, string) {
	if _, ok := a.figure(c, metric); ok || slices.ContainsFunc(a.figures, func(f Figure) bool {
		return f.To.Contestant != "" && (f.Cell == c || f.To == c)
	}) {
		return "", ""
	}
	return NotRun, "not published"
}

func (a *article) Moves(Cell, string) string                   { return "" }
func (a *article) Warnings(Cell, string) []Warning             { return nil }
func (a *article) Margin() float64                             { return 0.03 }
func (a *article) Range(Cell, string) (float64, float64, bool) { return 0, 0, false }
func (a *article) RatioRange(x, y Cell, metric string) (float64, float64, bool) {
	return 0, 0, false
}

func (a *article) Level(c Cell, metric string) judge.Estimate {
	v, ok := a.figure(c, metric)
	if !ok {
		return judge.Estimate{}
	}
	return judge.Estimate{Value: v, Lo: v, Hi: v, N: 100}
}

func (a *article) Compare(x, y Cell, metric string) Comparison {
	r, ok := a.ratio(x, y, metric)
	if !ok {
		return Comparison{Note: "not published"}
	}
	return Comparison{Ratio: judge.Estimate{Value: r, Lo: r, Hi: r, N: 100}}
}

// dateForm finds the date in a claim's source: "20 Apr 2016", or "Oct 2018".
var dateForm = regexp.MustCompile(`(?:([0-9]{1,2}) )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([0-9]{4})`)

// datesOf returns the dates when a source's figures were published, the likeliest first.
func datesOf(source string) (dates []string) {
	m := dateForm.FindStringSubmatch(source)
	if m == nil {
		return []string{""}
	}
	month := fmt.Sprintf("%s-%02d", m[3], 1+strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", m[2])/3)
	if m[1] != "" {
		day, _ := strconv.Atoi(m[1])
		dates = append(dates, fmt.Sprintf("%s-%02d", month, day))
	}
	return append(dates, month)
}

// published narrows a claim on many cells to the cells with figures in the article.
func (a *article) published(c Claim) Claim {
	if c.Kind != Most && c.Kind != AllCells && c.Kind != Spread {
		return c
	}
	var cells, over []string
	for i, s := range c.Cells {
		if v, _ := a.Missing(ParseCell(s), c.Metric); v != "" {
			continue
		}
		if len(c.Over) == len(c.Cells) && c.Kind != Spread {
			if v, _ := a.Missing(ParseCell(c.Over[i]), c.Metric); v != "" {
				continue
			}
			over = append(over, c.Over[i])
		}
		cells = append(cells, s)
	}
	if len(c.Over) == len(c.Cells) && c.Kind != Spread {
		c.Over = over
	} else if c.Kind == Spread {
		c.Over = slices.DeleteFunc(slices.Clone(c.Over), func(s string) bool {
			v, _ := a.Missing(ParseCell(s), c.Metric)
			return v != ""
		})
	}
	c.Cells = cells
	return c
}

// schmidt returns the figures of the routers' benchmark, with the time for all its routes as a
// request's CPU time.
func schmidt(t *testing.T, s *Study) (list []Figure) {
	t.Helper()
	f, err := os.Open("../../examples/published-figures.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]string{"Param": "one", "StaticAll": "static", "GithubAll": "github", "GPlusAll": "gplus",
		"ParseAll": "parse"}
	who := map[string]string{"HttpServeMux": "net-http", "GoJsonRest": "go-json-rest", "GocraftWeb": "gocraft-web",
		"Goji":       "goji-v1",
		"GorillaMux": "gorilla-mux", "HttpRouter": "httprouter", "HttpTreeMux": "httptreemux", "Kocha": "kocha-urlrouter"}
	m, _ := MetricNamed("cpu_per_request")
	for _, row := range rows {
		name := strings.ToLower(row[5])
		if known := who[row[5]]; known != "" {
			name = known
		}
		v, _ := strconv.ParseFloat(row[10], 64)
		if row[3] != "router-bench" || row[9] != "ns_op" || levels[row[4]] == "" || !slices.Contains(s.Contestants, name) {
			continue
		}
		list = append(list, Figure{Cell: Cell{Contestant: name, Level: levels[row[4]]}, Metric: m, Base: v, Date: "2014"})
	}
	return list
}

// own judges a claim by its article's figures. A claim without published figures is not run.
func own(s *Study, figures []Figure, c Claim) (Verdict, string) {
	source := c.Source
	if source == "" {
		source = s.Source
	}
	a := &article{study: s, figures: figures, dates: datesOf(source)}
	one := a.published(c)
	if len(c.Cells) > 0 && len(one.Cells) == 0 {
		return NotRun, "not published"
	}
	o := Judge([]Claim{one}, a)[0]
	reason := o.Reason
	for _, x := range o.Shown {
		reason += fmt.Sprintf("; %s %.4g", x.What, x.Estimate.Value)
	}
	if len(o.Shown) == 0 {
		return NotRun, reason
	}
	return o.Verdict, reason
}

// TestOwnFigures applies each rule to the article's own published figures: a rule that they fail is
// wrong. Claims without published figures, and untestable claims, are not judged.
func TestOwnFigures(t *testing.T) {
	studies, err := All(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{"go-http-routing": 18, "go-web-framework-benchmark": 63, "httprouter-vs-fasthttp": 23,
		"iris-vs-netcore-mvc": 34, "iris-vs-netcore-sessions": 4, "iris-vs-netcore-templates": 10,
		"netcore-vs-golang-json": 1}
	for _, s := range studies {
		figures := s.Figures
		if s.Slug == "go-http-routing" {
			figures = schmidt(t, s)
		}
		judged, none := 0, 0
		for _, c := range Current(s.Claims) {
			if c.NotTestable != "" || c.Ours() {
				continue
			}
			switch verdict, reason := own(s, figures, c); verdict {
			case Confirmed:
				judged++
			case NotRun, NotTestable:
				none++
			default:
				t.Errorf("%s: %s is %s by the article's own figures: %s", s.Slug, c.ID, verdict, reason)
			}
		}
		t.Logf("%s: %d claims hold by the article's figures, %d have none", s.Slug, judged, none)
		if judged < least[s.Slug] {
			t.Errorf("%s: only %d claims were held against the article's figures", s.Slug, judged)
		}
	}
}

// TestOwnFiguresRefuse: rules that were amended or given up because the article's own figures fail
// them are refused.
func TestOwnFiguresRefuse(t *testing.T) {
	for slug, ids := range map[string][]string{
		"httprouter-vs-fasthttp":     {"memory-grows-httprouter", "memory-grows-fasthttp", "advantage-grows-cpu"},
		"iris-vs-netcore-templates":  {"latency-prose"},
		"iris-vs-netcore-sessions":   {"2018-time"},
		"go-web-framework-benchmark": {"cpu-tie-c5000", "cpu-connections", "order-2016"},
	} {
		s, err := Read(os.DirFS("../.."), slug)
		if err != nil {
			t.Fatal(err)
		}
		before := Before(s.Claims)
		for _, id := range ids {
			i := slices.IndexFunc(before, func(c Claim) bool { return c.ID == id })
			if i < 0 {
				t.Fatalf("no claim %s", id)
			}
			if v, reason := own(s, s.Figures, before[i]); v == Confirmed || v == NotRun {
				t.Errorf("%s: %s, %s", id, v, reason)
			}
		}
	}
}
