package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/result"
)

// Scaling is how a contestant's throughput grows with its CPUs under one load.
type Scaling struct {
	Contestant string
	Load       result.Level // without a number of CPUs
	Points     []ScalingPoint
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

// scaling returns the section about how servers scale with their CPUs: for each load charts and a table of
// the figures.
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
				document.Paragraph{Label: "Load", Text: document.Plain(LevelName(load) + ".")})
		}
		if text := scalingText(list, rows); text != "" {
			out.Blocks = append(out.Blocks, document.Paragraph{Text: document.Plain(text)})
		}
		out.Blocks = append(out.Blocks, v.scalingCharts(list, rows, fmt.Sprint("scaling-", i)),
			v.scalingTable(list, rows))
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
			label += ", " + LevelName(load)
		}
		blocks = append(blocks, document.Paragraph{Label: label, Text: document.Plain(scalingText(list, rows))})
	}
	return blocks
}

// scalingText says in a sentence for each contestant what its CPUs bring.
func scalingText(list []*Scaling, rows []row) string {
	var parts []string
	for k, s := range list {
		first, last := &s.Points[0], &s.Points[len(s.Points)-1]
		parts = append(parts, fmt.Sprintf("%s on %s: %s its requests per second on %s", rows[k].Title,
			document.Count(last.CPUs, "CPU"), last.timesText(true), document.Count(first.CPUs, "CPU")))
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

// scalingCharts returns charts of the throughput and of the CPU per request.
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

// scalingNotes explains the table.
func (v *view) scalingNotes() (lines []string) {
	lines = []string{"Of the first: the throughput as a multiple of that on the smallest number of CPUs. Of its share: that " +
		"divided by the multiple of the CPUs; 100 % is linear."}
	var threads, bound bool
	for _, s := range v.Scalings {
		for _, p := range s.Points {
			threads, bound = threads || p.Threads, bound || p.Bound
		}
	}
	if threads {
		lines = append(lines, "*: two or more of these CPUs are threads of one core, which share its units.")
	}
	if bound {
		lines = append(lines, "≥: at the load generator's ceiling, a lower bound.")
	}
	return lines
}
