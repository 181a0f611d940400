package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"dyno/internal/record"
)

// engined is the crowd on two engines by turns; of one nothing is known.
func engined() *Data {
	d := crowd()
	for i, name := range d.Run.Plan.Contestants {
		if i != 4 {
			d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: name, Title: name,
				Engine: []string{"net/http", "fasthttp"}[i%2]})
		}
	}
	return d
}

func TestManyContestantsStandByEngine(t *testing.T) {
	var want []string
	for _, group := range []struct {
		engine string
		from   int
	}{{"fasthttp", 1}, {"net/http", 0}} {
		want = append(want, group.engine)
		for i := group.from; i < 20; i += 2 {
			if i != 4 {
				want = append(want, fmt.Sprintf("server-%02d", i))
			}
		}
	}
	want = append(want, "engine unknown", "server-04")
	word := regexp.MustCompile(`net/http|fasthttp|engine unknown|server-\d\d`)
	for name, f := range map[string]struct {
		write Writer
		row   *regexp.Regexp
	}{
		"text":     {Text, regexp.MustCompile(`(?m)^(net/http|fasthttp|engine unknown|server-\d\d .*)$`)},
		"markdown": {Markdown, regexp.MustCompile(`(?m)^\| (\*\*(net/http|fasthttp|engine unknown)\*\*|server-\d\d).*$`)},
		"html":     {HTML, regexp.MustCompile(`(?m)<tr[^>]*><th scope="row.*$`)},
	} {
		var got []string
		_, table, _ := strings.Cut(string(written(t, f.write, engined())), map[bool]string{true: "In requests per " +
			"second", false: "Level by level"}[name == "text"])
		for _, row := range f.row.FindAllString(table, -1) {
			got = append(got, word.FindString(row))
		}
		if len(got) < len(want) || strings.Join(got[:len(want)], " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v\nwant %v", name, got, want)
		}
	}
}

// Few contestants, and those of one engine, stand as they were asked for.
func TestFewStandAsAsked(t *testing.T) {
	d := crowd()
	for _, name := range d.Run.Plan.Contestants {
		d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: name, Engine: "net/http"})
	}
	if s := viewOf(d); s.Engines || s.rows[0].Name != "server-00" {
		t.Errorf("one engine: %s is the first", s.rows[0].Name)
	}
	if s := viewOf(sweepFixture(6)); s.Engines {
		t.Error("three contestants stand by engine")
	}
}
