package refserver

import (
	"strings"
	"testing"
	"time"
)

func TestParseControl(t *testing.T) {
	for name, want := range map[string]Control{
		"null": {Null: true}, "null+0ms": {Null: true, Manner: Manner{Timed: true}},
		"null+5ms": {Null: true, Manner: Manner{Timed: true, Delay: 5 * time.Millisecond}},
		"ref":      {}, "ref'": {}, "ref+20%": {Extra: .2}, "ref+2.5%": {Extra: .025},
	} {
		want.Name = name
		if got, ok, err := ParseControl(name); !ok || err != nil || got != want {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
	}
	for name, hint := range map[string]string{
		"ref+x%": "ref+5%", "ref+0%": "ref+5%", "ref+-5%": "ref+5%", "null+": "null+5ms", "null+-1ms": "null+5ms",
		"null+2h": "null+5ms",
	} {
		if got, ok, err := ParseControl(name); !ok || err == nil || !strings.Contains(err.Error(), hint) ||
			got != (Control{}) {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
	}
	for _, name := range []string{"reference", "nullable", "ref!late", ""} {
		if _, ok, _ := ParseControl(name); ok {
			t.Errorf("%q is no control", name)
		}
	}
}

func TestTitlesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"null", "null+0ms", "null+5ms", "ref", "ref'", "ref+20%"} {
		c, _, err := ParseControl(name)
		if err != nil || seen[c.Title()] != "" {
			t.Errorf("%s is called %q, as is %q: %v", name, c.Title(), seen[c.Title()], err)
		}
		seen[c.Title()] = name
	}
}
