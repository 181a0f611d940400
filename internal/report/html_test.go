package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/document"
)

// TestDocuments: what the runs say, as data. How it is drawn is tested in package document. Sections as those of the
// first run, and further explanations of words, are left out.
func TestDocuments(t *testing.T) {
	full := viewOf(fixture()).document()
	golden(t, "full.document", []byte(spelled(reflect.ValueOf(full), "")+"\n"))
	for name, f := range map[string]func() *Data{"nothing": nothing, "early": early, "classic": classicFixture,
		"sweep": func() *Data { return sweepFixture(6) }, "family": familyFixture, "extra": extraLevelsFixture} {
		d := viewOf(f()).document()
		d.Sections = slices.DeleteFunc(d.Sections, func(s document.Section) bool {
			return len(s.Blocks) == 0 || s.ID == "words" ||
				slices.ContainsFunc(full.Sections, func(known document.Section) bool { return reflect.DeepEqual(s, known) })
		})
		golden(t, name+".document", []byte(spelled(reflect.ValueOf(d), "")+"\n"))
	}
}

// spelled writes a value with the fields and elements that have one, each on a line where all do not fit on one.
func spelled(v reflect.Value, indent string) string {
	var parts []string
	ends := "{}"
	switch v.Kind() {
	case reflect.Pointer:
		return spelled(v.Elem(), indent)
	case reflect.Interface:
		return v.Elem().Type().Name() + spelled(v.Elem(), indent)
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', 5, 64)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+spelled(f, indent+"\t"))
			}
		}
	case reflect.Slice:
		ends = "[]"
		for i := range v.Len() {
			parts = append(parts, spelled(v.Index(i), indent+"\t"))
		}
	default:
		return fmt.Sprint(v)
	}
	line := ends[:1] + strings.Join(parts, ", ") + ends[1:]
	if len(line) <= 120-len(indent) && !strings.Contains(line, "\n") {
		return line
	}
	return ends[:1] + "\n\t" + indent + strings.Join(parts, "\n\t"+indent) + "\n" + indent + ends[1:]
}

// voidElements have no end tag (HTML Living Standard 13.1.2).
var voidElements = []string{"meta", "link", "br", "hr", "img", "input"}

var tag = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>"]|"[^"]*")*?)(/?)>`)

// balanced fails the test unless every tag is closed in its place.
func balanced(t *testing.T, page string) {
	t.Helper()
	page = regexp.MustCompile(`(?s)<style[^>]*>.*?</style>|<script[^>]*>.*?</script>|<!doctype html>`).ReplaceAllString(page, "")
	var open []string
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		switch name := m[2]; {
		case m[4] == "/" || slices.Contains(voidElements, name):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes nothing that is open: %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("never closed: %v", open)
	}
	if rest := tag.ReplaceAllString(page, ""); strings.ContainsAny(rest, "<>") {
		i := strings.IndexAny(rest, "<>")
		t.Errorf("a bracket outside of a tag: %q", rest[max(0, i-40):min(len(rest), i+40)])
	}
}

func TestHTMLIsWellFormed(t *testing.T) {
	for _, d := range []*Data{fixture(), nothing(), early(), hostile(), {}} {
		page := string(written(t, HTML, d))
		balanced(t, page)
		ids := map[string]bool{}
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if ids[m[1]] {
				t.Errorf("id %q stands twice", m[1])
			}
			ids[m[1]] = true
		}
		for _, m := range regexp.MustCompile(` href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "#") || !ids[m[1][1:]] {
				t.Errorf("a link to %q, which is not in the page", m[1])
			}
		}
	}
}

// A page needs no network: nothing in it makes a browser fetch.
func TestHTMLIsAlone(t *testing.T) {
	fetches := regexp.MustCompile(`(?i)<(link|img|iframe|object|embed|base|video|audio)\b|\b(src|srcset|action|data|poster)=|` +
		`url\(|\bon\w+=|href="[^#]|http-equiv|<script (?:[^>]*\b)?src`)
	for _, d := range []*Data{fixture(), hostile()} {
		page := string(written(t, HTML, d))
		for _, m := range tag.FindAllString(page, -1) {
			if fetches.MatchString(m) {
				t.Errorf("it would fetch: %s", m)
			}
		}
		style := regexp.MustCompile(`(?s)<style>(.*?)</style>\s*<style id="chart">.*?</style>`).FindStringSubmatch(page)
		if len(style) != 2 || regexp.MustCompile(`url\(|@import|@font-face|//`).MatchString(style[0]) {
			t.Error("the page's style fetches something")
		}
	}
}

func TestHTMLHostile(t *testing.T) {
	page := string(written(t, HTML, hostile()))
	if strings.Count(page, "<script") != 1 || strings.Contains(page, "alert(1)</script") {
		t.Error("markup of a title passed through")
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the title is not shown at all")
	}
	for _, r := range page {
		if r < ' ' && r != '\n' && r != '\t' || r == '\u202e' {
			t.Fatalf("control character %q in the page", r)
		}
	}
}

func TestSVG(t *testing.T) {
	for name, f := range map[string]func() *Data{"full": fixture, "nothing": nothing, "early": early,
		"hostile": hostile, "empty": func() *Data { return &Data{} }} {
		p := NewView(f())
		for _, m := range closedMetrics {
			var b bytes.Buffer
			if len(p.levels) == 0 {
				continue
			}
			chart := p.barChart(m, 0)
			if err := document.SVG(&b, &document.Document{Front: []document.Block{chart}}); err != nil {
				t.Fatal(err)
			}
			dec := xml.NewDecoder(bytes.NewReader(b.Bytes()))
			for {
				_, err := dec.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s, %s: %v\n%s", name, m.Name, err, b.String())
				}
			}
			if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
				t.Errorf("%s, %s: a place that is no number", name, m.Name)
			}
		}
	}
	golden(t, "full.svg", written(t, SVG, fixture()))
}

// What has no figure has no bar, and stands there all the same with the reason; crossed out is only who failed.
func TestChartExcluded(t *testing.T) {
	got := string(written(t, SVG, fixture()))
	for _, want := range []string{`class="name excluded failed">Gin<`, `class="name excluded">aspnetcore-mvc<`,
		"failed at load", "needs .NET SDK"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the chart", want)
		}
	}
	if bars := strings.Count(got, `class="bar"`); bars != 6 {
		t.Errorf("%d bars; want 6", bars)
	}
}

// A chart without a bar explains no bars.
func TestEmptyChart(t *testing.T) {
	got := string(written(t, HTML, nothing()))
	if !strings.Contains(got, "No server has a figure.") || strings.Contains(got, "Whiskers") {
		t.Errorf("the chart of nothing:\n%s", got)
	}
}

// A long name is cut beside its bar, and whole in the chart's words and in the tables.
func TestChartNames(t *testing.T) {
	d := fixture()
	d.Run.Contestants[3].Title = "A framework with a name of many words, whose end says which of them it is"
	for _, form := range []Writer{SVG, HTML} {
		if got := string(written(t, form, d)); !strings.Contains(got, "which of them it is") || !strings.Contains(got, "…<") {
			t.Errorf("a long name is not cut, or nowhere whole:\n%s", got)
		}
	}
}
