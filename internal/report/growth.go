package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"dyno/internal/result"
)

// leastReadings of memory make a line: its start, its end, and one in between.
const leastReadings = 3

// growing are the rows whose memory was followed under load, with their last load.
func (c *classic) growing() (rows []row, loads []result.Trial) {
	for _, r := range c.rows {
		all := c.loads(r)
		if r.Struck == "" && len(all) > 0 && len(all[len(all)-1].Memory) >= leastReadings {
			rows, loads = append(rows, r), append(loads, all[len(all)-1])
		}
	}
	return rows, loads
}

// settled is the share of a load from which on its growth is reckoned: by then the connections, their buffers and the runtime's first heap are there.
const settled = 0.1

// grown is how the memory of a server went under one load, bytes.
type grown struct {
	start, end, most       float64
	ns                     int64   // from the first reading to the last
	perMinute, perThousand float64 // of time, of right answers, once it had settled; NaN where there were none
}

func growthOf(t *result.Trial) grown {
	first, last := t.Memory[0], t.Memory[len(t.Memory)-1]
	g := grown{start: float64(first.PSSBytes), end: float64(last.PSSBytes), ns: last.AtNS - first.AtNS, perMinute: math.NaN(), perThousand: math.NaN()}
	from := first
	for _, at := range t.Memory[:len(t.Memory)-1] {
		g.most = max(g.most, float64(at.PSSBytes))
		if from == first && float64(at.AtNS-first.AtNS) >= settled*float64(g.ns) {
			from = at
		}
	}
	g.most = max(g.most, g.end)
	more, ns := g.end-float64(from.PSSBytes), float64(last.AtNS-from.AtNS)
	if ns > 0 {
		g.perMinute = more / ns * 60e9
	}
	if ns > 0 && t.Load.Succeeded > 0 { // at an even rate
		g.perThousand = more / (float64(t.Load.Succeeded) * ns / float64(g.ns)) * 1000
	}
	return g
}

// signed is an amount of bytes that was added or given back: "+12.3 MiB".
func signed(b float64) string {
	switch {
	case math.IsNaN(b):
		return Missing
	case b >= 0:
		return "+" + Bytes(b)
	}
	return Bytes(b) // with its minus
}

// growth says in words how memory went under each load.
func (c *classic) growth() (lines []string) {
	rows, loads := c.growing()
	for i, r := range rows {
		g := growthOf(&loads[i])
		line := fmt.Sprintf("Memory of %s under load: %s at the start, %s after %s s, at most %s; once settled %s a minute", r.Title, Bytes(g.start), Bytes(g.end), Sig3(float64(g.ns)/1e9), Bytes(g.most), signed(g.perMinute))
		if !math.IsNaN(g.perThousand) {
			line += ", " + signed(g.perThousand) + " per 1,000 requests"
		}
		lines = append(lines, line+".")
	}
	return lines
}

// growthPoints are at how many times the table of growth shows memory, both ends among them.
const growthPoints = 7

// growthMarkdown is the section of a study's page on how memory went under its long loads.
func (c *classic) growthMarkdown(out io.Writer) {
	rows, loads := c.growing()
	if len(rows) == 0 {
		return
	}
	until := int64(0)
	for i := range loads {
		until = max(until, loads[i].Memory[len(loads[i].Memory)-1].AtNS)
	}
	fmt.Fprintf(out, "## Memory as it grows\n\nOne long load of each, one after another, %s: `%s`. Memory (PSS) at so many seconds of the load; [the record](%s) has it every two seconds. Growth is reckoned from the first reading after a tenth of the load.\n\n",
		c.started(), strings.ReplaceAll(command(c.run.Plan.Command), "`", "'"), ClassicFile)
	heads := []string{contestantHead}
	for k := range growthPoints {
		heads = append(heads, Sig3(float64(until)/1e9*float64(k)/(growthPoints-1))+" s")
	}
	heads = append(heads, "a minute", "per 1,000 requests", "requests")
	fmt.Fprintf(out, "| %s |\n| --- |%s\n", strings.Join(heads, " | "), strings.Repeat(" --: |", len(heads)-1))
	for i, r := range rows {
		fields := []string{markdownTitle(r)}
		for k := range growthPoints {
			fields = append(fields, memoryAt(loads[i].Memory, until*int64(k)/(growthPoints-1)))
		}
		g := growthOf(&loads[i])
		fields = append(fields, signed(g.perMinute), signed(g.perThousand), grouped(float64(loads[i].Load.Succeeded), 0))
		fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | "))
	}
	fmt.Fprintln(out)
}

// memoryAt is the reading nearest to a time, or Missing where the load was over by then.
func memoryAt(m []result.MemoryAt, ns int64) string {
	if last := m[len(m)-1].AtNS; ns-last > last/growthPoints {
		return Missing
	}
	nearest := slices.MinFunc(m, func(a, b result.MemoryAt) int {
		return cmp.Compare(max(a.AtNS-ns, ns-a.AtNS), max(b.AtNS-ns, ns-b.AtNS))
	})
	return Bytes(float64(nearest.PSSBytes))
}

// growthJSON is how memory went under the last load of a row; nil where it was not followed.
func (c *classic) growthJSON(r row) any {
	rows, loads := c.growing()
	for i := range rows {
		if rows[i].Name == r.Name {
			g := growthOf(&loads[i])
			return object{{"start_bytes", number(g.start)}, {"end_bytes", number(g.end)}, {"most_bytes", number(g.most)}, {"window_ns", g.ns},
				{"bytes_per_minute", number(g.perMinute)}, {"bytes_per_1000_requests", number(g.perThousand)}}
		}
	}
	return nil
}

// growthChart draws memory over the time of the load, a line for each contestant; "" where it was not followed.
func (c *classic) growthChart(name string, width float64) template.HTML {
	rows, loads := c.growing()
	if len(rows) == 0 {
		return ""
	}
	const left, top, height = 56, 28, 220
	right := min(190, width/3)
	var values []float64
	until := int64(1)
	for _, t := range loads {
		for _, at := range t.Memory {
			values, until = append(values, float64(at.PSSBytes)), max(until, at.AtNS)
		}
	}
	axis, scale := newValueAxis(values), ScaleOf("bytes", values...)
	x := func(ns int64) float64 { return left + (width-left-right)*float64(ns)/float64(until) }
	y := func(v float64) float64 { return top + height*(1-axis.at(v)) }
	out := &drawing{view: c.view}
	out.printf(`<svg class="chart %s" role="img" aria-labelledby="growth-%s" viewBox="0 0 %g %d" width="%g" height="%d">`, name, name, width, top+height+44, width, top+height+44)
	out.printf(`<title id="growth-%s">Memory over the time of the load</title>`, name)
	for _, v := range axis.marks(scale.Per, 5) {
		out.printf(`<line x1="%d" x2="%.1f" y1="%.1f" y2="%.1f" class="grid"/>`, left, width-right, y(v), y(v))
		out.text(left-8, y(v)+4, "tick", "end", tickValue(v/scale.Per))
	}
	words := unitWords(scale)
	if axis.log {
		words += ", log scale"
	}
	out.text(0, 12, "way", "", words)
	for i := range 5 {
		ns := until * int64(i) / 4
		out.text(x(ns), top+height+19, "tick", "middle", Sig3(float64(ns)/1e9))
	}
	out.text((left+width-right)/2, top+height+36, "tick", "middle", "seconds under load")
	var ends []end
	for i, r := range rows {
		m := loads[i].Memory
		out.printf(`<g class="series %s"><title>%s</title><polyline fill="none" class="stroke" points="`, languageClass(r), html.EscapeString(r.Title))
		for _, at := range m {
			out.printf("%.1f,%.1f ", x(at.AtNS), y(float64(at.PSSBytes)))
		}
		out.printf(`"/></g>`)
		last := m[len(m)-1]
		at := y(float64(last.PSSBytes))
		ends = append(ends, end{r: r, x: x(last.AtNS), y: at, at: at})
	}
	spreadLabels(ends, top+height)
	for _, e := range ends {
		out.printf(`<g class="series %s"><line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="leader"/>`, languageClass(e.r), e.x+3, width-right+8, e.y, e.at)
		out.text(width-right+12, e.at+4, "label", "", shorten(e.r.Title, int(right/8)))
		out.printf("</g>")
	}
	out.printf("</svg>")
	return template.HTML(out.String())
}
