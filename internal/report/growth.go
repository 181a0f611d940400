package report

import (
	"fmt"
	"html"
	"html/template"

	"dyno/internal/result"
)

// leastReadings of memory make a line.
const leastReadings = 4

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

// growth says in words how memory went under each load.
func (c *classic) growth() (lines []string) {
	rows, loads := c.growing()
	for i, r := range rows {
		m := loads[i].Memory
		first, last, most := m[0], m[len(m)-1], m[0].PSSBytes
		for _, at := range m {
			most = max(most, at.PSSBytes)
		}
		s := ScaleOf("bytes", float64(most))
		lines = append(lines, fmt.Sprintf("Memory of %s under load: %s %s after %.0f s, %s after %.0f s, at most %s.", r.Title,
			Sig3(float64(first.PSSBytes)/s.Per), s.Name, float64(first.AtNS)/1e9, Sig3(float64(last.PSSBytes)/s.Per), float64(last.AtNS)/1e9, Sig3(float64(most)/s.Per)))
	}
	return lines
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
