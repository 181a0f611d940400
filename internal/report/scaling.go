package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Scaling is how a contestant's throughput grows with its CPUs under one load.
type Scaling struct {
	Contestant string
	Load       result.Level // without a number of CPUs
	Points     []ScalingPoint
	Fit        stats.ScalingFit // NaN where there is none
	Fitted     int              // numbers of CPUs that it is of
	Turns      int              // epochs on each of them
}

// ScalingPoint is what a contestant does on a number of CPUs.
type ScalingPoint struct {
	CPUs      int
	Threads   bool // two of them or more are threads of one core
	Bound     bool // at the generator's ceiling: it may do more
	Rate, CPU analysis.Estimate
	Times     analysis.Estimate // of the rate on the smallest number, turn by turn

	RateLeast, RateMost, CPULeast, CPUMost float64 // of its epochs
}

// leastFitted is how many numbers of CPUs it takes to tell contention from coherency, leastTurns how
// many turns give the parameters intervals (stats.FitScalingEpochs).
const leastFitted, leastTurns = 3, 5

// unfitted says why there is no fit; "" if there is one.
func (s *Scaling) unfitted() string {
	left := ""
	if s.Fitted < len(s.Points) {
		left = " without those at the generator's ceiling and those with threads of one core"
	}
	switch {
	case s.Fitted < leastFitted:
		return fmt.Sprintf("%s%s: a fit takes %d", document.Count(s.Fitted, "number")+" of CPUs", left, leastFitted)
	case s.Turns == 0:
		return "no turn of epochs is valid on each number"
	case math.IsNaN(s.Fit.Lambda):
		return "the law does not fit"
	}
	return ""
}

// intervals reports whether the parameters have intervals.
func (s *Scaling) intervals() bool { return s.unfitted() == "" && !math.IsInf(s.Fit.High.Lambda, 0) }

// figures returns a point as tables and charts have it.
func (p *ScalingPoint) figures() (rate, cpu *figure) {
	rate = &figure{Estimate: p.Rate, least: p.RateLeast, most: p.RateMost, bound: p.Bound}
	if p.CPU.N == 0 {
		return rate, &figure{absent: "it could not be read"}
	}
	return rate, &figure{Estimate: p.CPU, least: p.CPULeast, most: p.CPUMost}
}

// scalingLoads returns the loads of which there are scalings.
func (v *view) scalingLoads() (loads []result.Level) {
	for i := range v.Scalings {
		if l := v.Scalings[i].Load; !slices.Contains(loads, l) {
			loads = append(loads, l)
		}
	}
	return loads
}

// scalingsOf returns those of a load with the rows that they are of.
func (v *view) scalingsOf(load result.Level) (list []*Scaling, rows []row) {
	for _, r := range v.all() {
		for i := range v.Scalings {
			if s := &v.Scalings[i]; s.Contestant == r.Name && s.Load == load && r.Excluded == "" {
				list, rows = append(list, s), append(rows, r)
			}
		}
	}
	return list, rows
}

// scaling returns the section about how servers scale with their CPUs: for each load charts, a table of
// the figures and one of the fits.
func (v *view) scaling() document.Section {
	out := document.Section{ID: "scaling", Title: "Scaling with CPUs"}
	loads := v.scalingLoads()
	for i, load := range loads {
		list, rows := v.scalingsOf(load)
		if len(list) == 0 {
			continue
		}
		if len(loads) > 1 {
			out.Blocks = append(out.Blocks,
				document.Paragraph{Label: "Load", Text: document.Plain(levelName(load) + ".")})
		}
		if text := scalingText(list, rows); text != "" {
			out.Blocks = append(out.Blocks, document.Paragraph{Text: document.Plain(text)})
		}
		out.Blocks = append(out.Blocks, v.scalingCharts(list, rows, fmt.Sprint("scaling-", i)),
			v.scalingTable(list, rows), v.fitTable(list, rows))
	}
	if len(out.Blocks) > 0 {
		out.Blocks = append(out.Blocks, document.Items(v.scalingNotes()...))
	}
	return out
}

// scaled reports whether the section has a chart of the metric.
func (v *view) scaled(m analysis.Metric) bool {
	return len(v.Scalings) > 0 && (m.Name == "throughput" || m.Name == "cpu_per_request")
}

// scalingShort says in the answer what more CPUs bring.
func (v *view) scalingShort() (blocks []document.Block) {
	loads := v.scalingLoads()
	for _, load := range loads {
		list, rows := v.scalingsOf(load)
		if len(list) == 0 {
			continue
		}
		label := "With more CPUs"
		if len(loads) > 1 {
			label += ", " + levelName(load)
		}
		blocks = append(blocks, document.Paragraph{Label: label, Text: document.Plain(scalingText(list, rows))})
	}
	return blocks
}

// scalingWords explain the fit.
var scalingWords = document.Definition{ID: "scaling", Name: "Universal scalability law",
	Text: "The throughput of n CPUs is n × that of one ÷ (1 + contention × (n − 1) + coherency × n × (n − 1)). " +
		"Contention is the share of the work that is done one at a time; coherency is what each pair of CPUs costs " +
		"to keep in step, and is what makes a server slower with more CPUs."}

// scalingText says in a sentence for each contestant what its CPUs bring.
func scalingText(list []*Scaling, rows []row) string {
	var parts []string
	for k, s := range list {
		first, last := &s.Points[0], &s.Points[len(s.Points)-1]
		text := fmt.Sprintf("%s on %s: %s its requests per second on %s", rows[k].Title,
			document.Count(last.CPUs, "CPU"), last.timesText(true), document.Count(first.CPUs, "CPU"))
		if s.intervals() {
			text += ", " + peakText(s)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// timesText returns how many times as much as on the smallest number of CPUs it is, with its interval
// if sides is set.
func (p *ScalingPoint) timesText(sides bool) string {
	if p.Times.N == 0 {
		return Missing
	}
	text := Sig3(p.Times.Value) + " ×"
	if sides && !math.IsInf(p.Times.Hi, 0) {
		text += " (" + Sig3(p.Times.Lo) + "–" + Sig3(p.Times.Hi) + ")"
	} else if sides {
		text += " (no interval)"
	}
	if p.Bound {
		text = "≥ " + text
	}
	return text
}

// share returns that divided by the multiple of the CPUs.
func (p *ScalingPoint) share(first *ScalingPoint) document.Cell {
	if p.Times.N == 0 {
		return document.Cell{Absent: "no turn of epochs is valid on both numbers"}
	}
	text := PerCent(p.Times.Value * float64(first.CPUs) / float64(p.CPUs))
	if p.Bound {
		text = "≥ " + text
	}
	return document.Cell{Value: text}
}

// peakText says where by the fit more CPUs would bring nothing, as far as the data tell.
func peakText(s *Scaling) string {
	most := float64(s.Points[len(s.Points)-1].CPUs)
	switch lo := s.Fit.PeakLow; {
	case s.Fit.PeakHigh <= most:
		return fmt.Sprintf("fastest on %s CPUs (%s–%s) by the fit", Sig3(s.Fit.Peak()), Sig3(s.Fit.PeakLow),
			Sig3(s.Fit.PeakHigh))
	case lo > most:
		return "and by the fit more CPUs bring more"
	}
	return "and the fit does not tell whether more CPUs bring more"
}

// scalingCharts returns charts of the throughput, with the fit beside, and of the CPU per request.
func (v *view) scalingCharts(list []*Scaling, rows []row, id string) document.Choice {
	choice := document.Choice{ID: id, Title: "Metric"}
	for _, name := range []string{"throughput", "cpu_per_request"} {
		m, _ := analysis.MetricNamed(name)
		c := document.LineChart{ID: id + "-" + name, Way: way(m), Foot: m.Title + " over the CPUs of the servers"}
		var numbers []int
		var values []float64
		for _, s := range list {
			for i := range s.Points {
				p := &s.Points[i]
				rate, cpu := p.figures()
				f := rate
				if m.Name != "throughput" {
					f = cpu
				}
				if f.absent == "" {
					values = append(values, f.Value)
				}
				if !slices.Contains(numbers, p.CPUs) {
					numbers = append(numbers, p.CPUs)
				}
			}
		}
		slices.Sort(numbers)
		scale := scaleOf(m.Unit, values...)
		c.Unit, c.Per = unitWords(scale), scale.Per
		plot := document.Plot{X: "CPUs of the server"} // not logarithmic: to scale without loss is a straight line
		at := func(n int) float64 {
			if len(numbers) < 2 {
				return 0.5
			}
			lo, hi := float64(numbers[0]), float64(numbers[len(numbers)-1])
			return (float64(n) - lo) / (hi - lo)
		}
		for _, n := range numbers {
			plot.Ticks = append(plot.Ticks, document.Tick{At: at(n), Text: document.Whole(n)})
		}
		for k, s := range list {
			c.Series = append(c.Series,
				document.Series{Name: rows[k].Title, Key: keyOf(rows[k]), Fixed: rows[k].Control})
			var points []document.Point
			for _, n := range numbers {
				points = append(points, s.point(n, at(n), m, scale, rows[k].Title))
			}
			plot.Points = append(plot.Points, points)
		}
		if m.Name == "throughput" {
			c.Note = "A hollow diamond is the value of the fit."
		}
		c.Plots = []document.Plot{plot}
		choice.Options = append(choice.Options, document.Option{Name: m.Title, Block: c})
	}
	return choice
}

// point returns the figure on n CPUs as a point of a chart.
func (s *Scaling) point(n int, x float64, m analysis.Metric, scale analysis.Scale, title string) document.Point {
	at := document.Point{At: x, Absent: true}
	for i := range s.Points {
		p := &s.Points[i]
		if p.CPUs != n {
			continue
		}
		f, cpu := p.figures()
		if m.Name != "throughput" {
			f = cpu
		}
		if f.absent != "" {
			return at
		}
		at.Absent, at.Value, at.Beyond, at.Open = false, f.Value, f.bound, f.open()
		at.Lo, at.Hi = f.bounds()
		at.Text = fmt.Sprintf("%s on %s: %s (%s–%s) %s", title, document.Count(n, "CPU"), Sig3(f.Value/scale.Per),
			Sig3(at.Lo/scale.Per), Sig3(at.Hi/scale.Per), unitWords(scale))
		if m.Name == "throughput" && s.unfitted() == "" {
			fit := s.Fit.At(float64(n))
			at.Beside = []document.Aside{{Value: fit, Text: fmt.Sprintf("%s on %s by the fit: %s", title,
				document.Count(n, "CPU"), Sig3(fit/scale.Per))}}
		}
	}
	return at
}

// scalingTable has a row for each contestant and number of CPUs.
func (v *view) scalingTable(list []*Scaling, rows []row) document.Table {
	rate, _ := analysis.MetricNamed("throughput")
	cpu, _ := analysis.MetricNamed("cpu_per_request")
	var rates, costs []float64
	for _, s := range list {
		for i := range s.Points {
			rates = append(rates, s.Points[i].Rate.Value)
			if s.Points[i].CPU.N > 0 {
				costs = append(costs, s.Points[i].CPU.Value)
			}
		}
	}
	rateScale, cpuScale := scaleOf(rate.Unit, rates...), scaleOf(cpu.Unit, costs...)
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "CPUs", Number: true},
		{Head: rate.HeadIn(rateScale.Name), Number: true, Word: rate.Name}, {Head: "of the first", Number: true},
		{Head: "of its share", Number: true}, {Head: cpu.HeadIn(cpuScale.Name), Number: true, Word: cpu.Name}}}
	for k, s := range list {
		first := &s.Points[0]
		for i := range s.Points {
			p := &s.Points[i]
			f, c := p.figures()
			number := fmt.Sprint(p.CPUs)
			if p.Threads {
				number += " *"
			}
			row := v.tableRow(rows[k])
			row.Group = ""
			row.Cells = append(row.Cells, document.Cell{Value: number}, f.cell(rateScale),
				document.Cell{Value: p.timesText(i > 0)}, p.share(first), c.cell(cpuScale))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// fitTable has the parameters of the law, or why there are none.
func (v *view) fitTable(list []*Scaling, rows []row) document.Table {
	t := document.Table{Columns: []document.Column{{Head: "fit", Lead: true, Word: "scaling"},
		{Head: "one CPU, requests/s", Number: true}, {Head: "contention", Number: true},
		{Head: "coherency", Number: true}, {Head: "fastest on", Unit: "CPUs", Number: true},
		{Head: "epochs", Number: true}}}
	for k, s := range list {
		row := v.tableRow(rows[k])
		row.Group = ""
		if why := s.unfitted(); why != "" {
			for range 4 {
				row.Cells = append(row.Cells, document.Cell{Absent: why})
			}
			row.Cells = append(row.Cells, document.Cell{Value: fmt.Sprint(s.Turns)})
			t.Rows = append(t.Rows, row)
			continue
		}
		side := func(lo, hi float64, form func(float64) string) string {
			if !s.intervals() {
				return "(no interval)"
			}
			return "(" + form(lo) + "–" + form(hi) + ")"
		}
		f := &s.Fit
		for _, x := range []struct {
			value, lo, hi float64
			form          func(float64) string
		}{{f.Lambda, f.Low.Lambda, f.High.Lambda, Sig3},
			{f.Sigma, f.Low.Sigma, f.High.Sigma, PerCent}, {f.Kappa, f.Low.Kappa, f.High.Kappa, finePerCent},
			{f.Peak(), f.PeakLow, f.PeakHigh, cpusText}} {
			row.Cells = append(row.Cells, document.Cell{Value: x.form(x.value), Side: side(x.lo, x.hi, x.form)})
		}
		row.Cells = append(row.Cells, document.Cell{Value: fmt.Sprint(s.Turns)})
		t.Rows = append(t.Rows, row)
	}
	return t
}

// finePerCent prints a share in percent with two significant digits: the coherency of a server that
// scales well is some hundredths of a percent.
func finePerCent(share float64) string {
	if share >= 0.001 || share == 0 {
		return PerCent(share)
	}
	return strconv.FormatFloat(100*share, 'g', 2, 64) + " %"
}

// cpusText returns a number of CPUs of a fit.
func cpusText(n float64) string {
	if math.IsInf(n, 0) || n > 1e4 {
		return "∞"
	}
	return Sig3(n)
}

// scalingNotes explains the tables.
func (v *view) scalingNotes() (lines []string) {
	lines = []string{
		"Of the first: the throughput as a multiple of that on the smallest number of CPUs. Of its share: that " +
			"divided by the multiple of the CPUs; 100 % is linear.",
		"The fit is the universal scalability law (Gunther 2007): on n CPUs, n × one CPU ÷ (1 + contention × (n − 1) " +
			"+ coherency × n × (n − 1)). Contention is the share of the work that is done one at a time, coherency " +
			"what each pair of CPUs costs. In brackets the intervals of 95 %, by a bootstrap of whole turns of " +
			"epochs; one that begins at 0 % does not tell the parameter from 0. It describes what was measured: " +
			"beyond the largest number it is a guess.",
	}
	var few, threads, bound bool
	for i := range v.Scalings {
		s := &v.Scalings[i]
		few = few || s.unfitted() == "" && !s.intervals()
		for _, p := range s.Points {
			threads, bound = threads || p.Threads, bound || p.Bound
		}
	}
	if few {
		lines = append(lines, fmt.Sprintf("No interval: it takes %d epochs on each number (--epochs, or a larger "+
			"--budget).", leastTurns))
	}
	if threads {
		lines = append(lines, "*: two or more of these CPUs are threads of one core, which share its units: no "+
			"further CPU in the sense of the law, and not in the fit.")
	}
	if bound {
		lines = append(lines, "≥: at the load generator's ceiling, a lower bound, and not in the fit.")
	}
	return lines
}
