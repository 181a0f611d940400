package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// pageLimit is the largest page: 70 contestants at 20 levels have some 12,000 figures.
const pageLimit = 1_800_000

// framePage is a page with a block of each kind, package document's golden.
const framePage = "internal/document/testdata/page.html"

// pages returns the files of pages: the frame, and pages for each kind of run.
func pages(t *testing.T) map[string]string {
	t.Helper()
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"frame": filepath.Join(pr.root, framePage)}
	write := func(name string, d *report.Data) {
		var page bytes.Buffer
		if err := report.HTML(&page, d); err != nil {
			t.Fatal(err)
		}
		if page.Len() > pageLimit {
			t.Errorf("the page of %s is %d bytes; at most %d", name, page.Len(), pageLimit)
		}
		files[name] = filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(files[name], page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, slug := range []string{front, large} {
		st, err := pr.study(slug)
		if err != nil {
			t.Fatal(err)
		}
		d, err := st.Stored(pr.root, st.Committed(pr.root))
		if err != nil {
			t.Fatal(err)
		}
		write(slug, d.Data)
	}
	for name, c := range map[string]struct {
		record string
		part   int // of the trials
	}{
		"levels":  {"studies/protocols/trials.jsonl.gz", 1},
		"classic": {"studies/iris-vs-netcore-mvc/classic.jsonl.gz", 1},
		"early":   {"studies/iris-vs-netcore-templates/trials.jsonl.gz", 8}, // too few for intervals
		"nothing": {"studies/iris-vs-netcore-templates/trials.jsonl.gz", 1e9},
	} {
		run, err := record.Open(filepath.Join(pr.root, c.record))
		if err != nil {
			t.Fatal(err)
		}
		run.Trials = run.Trials[:len(run.Trials)/c.part]
		write(name, study.Evaluate(run))
	}
	return files
}

// The study whose page is read first, and the one with the largest page.
const (
	front = "iris-vs-netcore-mvc"
	large = "go-web-framework-benchmark"
)

var views = map[string]view{
	"wide":     {width: 1400, height: 900},
	"narrow":   {width: 390, height: 844},
	"dark":     {width: 1400, height: 900, dark: true}, // for the pictures alone: only colours differ
	"print":    {width: 794, height: 1123, print: true},
	"noscript": {width: 390, height: 844, noScript: true},
}

// beyond names elements that extend beyond the window, except those within a part that scrolls by
// itself, and chart texts that extend beyond their chart.
const beyond = `(() => {
  const width = document.documentElement.clientWidth, out = [];
  if (document.documentElement.scrollWidth > width) out.push("the page scrolls: " + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width === 0 || e.closest(".scroll, pre, script, style, .choice > legend")) continue;
    if (box.right > width + 1 || box.left < -1) out.push(e.tagName + " " + e.className + ": " + e.textContent.slice(0, 40));
  }
  for (const e of document.querySelectorAll("svg.chart text")) {
    const svg = e.closest("svg").getBoundingClientRect(), box = e.getBoundingClientRect();
    if (svg.width && (box.right > svg.right + 2 || box.left < svg.left - 2)) out.push("in a chart: " + e.textContent);
  }
  return out.slice(0, 5).join("; ");
})()`

// cut names parts that a reader of tables sees incompletely: a remark that extends beyond the
// visible part of its table, and a head whose button is below it.
const cut = `(() => {
  const out = [];
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  for (const e of document.querySelectorAll(".notes td > div, .reason > div")) {
    const box = e.getBoundingClientRect(), seen = e.closest(".scroll").getBoundingClientRect();
    if (box.width && (box.right > seen.right + 1 || box.left < seen.left - 1)) {
      out.push(Math.round(box.right - seen.right) + " px: " + e.textContent.slice(0, 40));
    }
  }
  for (const e of document.querySelectorAll("thead th:first-child:has(.sort)")) {
    const head = document.createRange();
    head.selectNodeContents(e.firstChild);
    if (e.querySelector(".sort").getBoundingClientRect().top > head.getBoundingClientRect().bottom) {
      out.push("two lines: " + e.textContent);
    }
  }
  return out.slice(0, 5).join("; ");
})()`

// Every page fits its window, sends no request and logs no message.
func TestPagesInChromium(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	for name, file := range pages(t) {
		for how, v := range views {
			if name == large && v.print || v.dark && os.Getenv("DYNO_SHOTS") == "" {
				continue
			}
			p := c.open(file, v)
			if name == front && how == "wide" {
				firstScreen(t, p)
			}
			if out := p.eval(beyond); out != "" {
				t.Errorf("%s, %s: beyond the window: %v", name, how, out)
			}
			if out := p.eval(cut); out != "" {
				t.Errorf("%s, %s: cut: %v", name, how, out)
			}
			if trouble := p.trouble(); len(trouble) > 0 {
				t.Errorf("%s, %s: %s", name, how, strings.Join(trouble, "\n"))
			}
			if v.noScript && p.eval(`document.querySelectorAll("button").length`) != 0.0 {
				t.Errorf("%s: buttons that do nothing without scripts", name)
			}
			p.shot(name + "-" + how)
			p.close()
		}
	}
}

// firstScreen checks that question, answer, the whole chart and the trust line stand on the first screen.
func firstScreen(t *testing.T, p *tab) {
	for _, what := range []string{"h1", ".answer", ".trust", ".front .option:first-of-type svg.chart .row"} {
		at := fmt.Sprintf("[...document.querySelectorAll(%q)].at(-1).getBoundingClientRect().bottom", what)
		if bottom, ok := p.eval(at).(float64); !ok || bottom <= 0 || bottom > 900 {
			t.Errorf("%s ends at %v px; the screen at 900", what, bottom)
		}
	}
}

// The metric can be chosen without scripts; the order and the table rows with them.
func TestButtonsInChromium(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	file, err := filepath.Abs("../../" + framePage)
	if err != nil {
		t.Fatal(err)
	}
	p := c.open(file, view{width: 1400, height: 900, noScript: true})
	const visible = `[...document.querySelectorAll(".front .option")].map(o => o.offsetHeight > 0).indexOf(true)`
	if at := p.eval(visible); at != 0.0 {
		t.Errorf("at first option %v is shown", at)
	}
	p.eval(`document.querySelectorAll(".front .choice label")[1].click()`)
	if at := p.eval(visible); at != 1.0 {
		t.Errorf("after a click on the second metric option %v is shown", at)
	}
	p.close()

	p = c.open(file, views["wide"])
	names := `[...document.querySelectorAll("#ranking tbody tr:not(.notes):not([hidden]) th[scope=row]")].map(t => t.firstChild.nextSibling.textContent).join()`
	order := p.eval(names)
	p.eval(`document.querySelectorAll("#ranking .sort")[1].click()`)
	sorted := fmt.Sprint(p.eval(names))
	if sorted == order || !strings.HasPrefix(sorted, "aspnetcore-mvc,fasthttp,Gin") {
		t.Errorf("sorted by name: %s", sorted)
	}
	p.eval(`document.querySelectorAll("#ranking .sort")[1].click(); document.querySelectorAll("#ranking .sort")[1].click()`)
	if back := p.eval(names); back != order {
		t.Errorf("the third click gives %v, not the first order %v", back, order)
	}
	p.eval(`(() => { const f = document.querySelector("#ranking input"); f.value = "iris"; f.dispatchEvent(new Event("input")); })()`)
	if got := p.eval(names); got != "Iris,Iris MVC" {
		t.Errorf("filtered by iris: %v", got)
	}

	p.eval(`Object.defineProperty(navigator, "clipboard", {value: {writeText: async t => { window.copied = t; }}})`)
	copied := func(selector, label string) string {
		return fmt.Sprint(p.eval(fmt.Sprintf(`(async () => {
			[...document.querySelectorAll(%q)].find(b => b.textContent === %q).click();
			await null; return window.copied; })()`, selector+" button", label)))
	}
	if text := copied(".front", "copy as Markdown"); !strings.Contains(text, "| --- | --- | --- |\n| fasthttp | ≥ ") {
		t.Errorf("the chart as Markdown:\n%s", text)
	}
	if text := copied("#ranking", "copy as Markdown"); !strings.Contains(text, "| Iris MVC |") &&
		!strings.Contains(text, "Iris MVC Go") || strings.Contains(text, "Kestrel") {
		t.Errorf("the filtered table as Markdown:\n%s", text)
	}
	svg := copied(".front", "copy as SVG")
	if !strings.Contains(svg, `xmlns="http://www.w3.org/2000/svg"`) || !strings.Contains(svg, "prefers-color-scheme") ||
		strings.Contains(svg, "tabindex") {
		t.Errorf("the chart as SVG: %.300s", svg)
	}
	if trouble := p.trouble(); len(trouble) > 0 {
		t.Error(strings.Join(trouble, "\n"))
	}
}
