package conf

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

type doc struct {
	Name      string            `toml:"name"`
	Version   string            `toml:"version"`
	Processes int               `toml:"processes"`
	Tuning    []string          `toml:"tuning"`
	Env       map[string]string `toml:"env"`
	Request   []request         `toml:"request"`
	Nested    struct {
		Load *struct{ Connections int } `toml:"load"`
	} `toml:"nested"`
	When time.Time `toml:"when"`
	Any  any       `toml:"any"`
}

type request struct {
	common
	With map[string]struct {
		Int [2]int64 `toml:"int"`
	} `toml:"with"`
	Expect struct {
		Status int     `toml:"status"`
		Body   *string `toml:"body"`
	} `toml:"expect"`
}

type common struct {
	Path   string  `toml:"path"`
	Weight float64 `toml:"weight"`
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"fine",
			"name = 'a'\n[env]\nANY = 'x'\n[[request]]\npath='/'\n[request.with]\nid = { int = [1, 2] }\n[any]\n" +
				"x.y = 1\n", ""},
		{"misspelt", "name = 'a'\nverison = 'b'\n", `f.toml:2:1: unknown key "verison"; did you mean "version"?`},
		{"case", "Name = 'a'\n", `f.toml:1:1: unknown key "Name"; did you mean "name"?`},
		{"untagged in any case", "[nested.load]\nConnections = 1\n[nested]\n", ""},
		{"not near", "colour = 'a'\n", `f.toml:1:1: unknown key "colour"`},
		{"all at once",
			"nam = 'a'\n[evn]\nX='1'\n[[request]]\nweight=1\n[[request]]\n  wieght=1\n[request.expect]\nstatsu = 200\n",
			"f.toml:1:1: unknown key \"nam\"; did you mean \"name\"?\n" +
				"f.toml:2:2: unknown key \"evn\"; did you mean \"env\"?\n" +
				"f.toml:7:3: unknown key \"wieght\"; did you mean \"weight\"?\n" +
				"f.toml:9:1: unknown key \"statsu\"; did you mean \"status\"?"},
		{"inline", "request = [{ path = '/', expect = { bdy = 'x' } }]\n",
			`f.toml:1:37: unknown key "bdy"; did you mean "body"?`},
		{"dotted", "nested.laod.connections = 1\n", `f.toml:1:8: unknown key "laod"; did you mean "load"?`},
		{"through a map", "[[request]]\n[request.with]\nid = { itn = [1, 2] }\n",
			`f.toml:3:8: unknown key "itn"; did you mean "int"?`},
		{"wrong type", "name = 'a'\nprocesses = 'two'\n", `f.toml:2:13: "processes" must be int, not string`},
		{"wrong type below", "[[request]]\n[request.expect]\nstatus = true\n",
			`f.toml:3:10: "request.expect.status" must be int, not boolean`},
		{"wrong entry after a comment", "tuning = [ # one\n" +
			"'a', 1]\n", `f.toml:2:6: "tuning" must be string, not integer`},
		{"wrong truth", "[[request]]\nexpect.status = []\n", `f.toml:2:`},
		{"wrong array", "tuning = 1\n", `f.toml:1:10: "tuning" must be []string, not integer`},
		{"wrong table", "env = 1\n", `f.toml:1:7: "env" must be a table, not integer`},
		{"wrong number", "[[request]]\nweight = 'x'\n", `f.toml:2:10: "request.weight" must be float64, not string`},
		{"wrong entry", "tuning = ['a', 1]\n",
			`f.toml:1:16: "tuning" must be string, not integer`},
		{"unknown and wrong", "nmae = 1\nname = 1\n",
			"f.toml:1:1: unknown key \"nmae\"; did you mean \"name\"?\nf.toml:2:8: \"name\" must be string, not integer"},
		{"syntax", "name = \n", "f.toml:1:8: "},
		{"end of input", "name = 'a", "f.toml:1:"},
		{"twice", "name = 'a'\nname = 'b'\n", "f.toml:2:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d doc
			f, err := Read(fstest.MapFS{"f.toml": {Data: []byte(c.text)}}, "f.toml", &d)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want && !(strings.HasSuffix(c.want, ":") || strings.HasSuffix(c.want, ": ")) ||
				!strings.HasPrefix(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if (f == nil) != (err != nil) {
				t.Errorf("file %v with error %v", f, err)
			}
			var at *Error
			if err != nil && !errors.As(err, &at) {
				t.Errorf("%v is no *Error", err)
			}
		})
	}
}

func TestErrorfFindsKeys(t *testing.T) {
	const text = `name = "x"
tuning = [
  "one",
  "two",
]
nested.load.connections = 4
request = [
  { path = "/" },
  { weight = 2, expect = { status = 200 } },
]
[env]
"a.b" = "c"
`
	var d doc
	f, err := parse("f.toml", []byte(text), &d)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"name":                     "f.toml:1:1: bad",
		"tuning":                   "f.toml:2:1: bad",
		"tuning[1]":                "f.toml:4:3: bad",
		"tuning[7]":                "f.toml:2:1: bad", // not there: the array
		"nested.load.connections":  "f.toml:6:13: bad",
		"request[0].path":          "f.toml:8:5: bad",
		"request[1].expect.status": "f.toml:9:28: bad",
		"request[1].expect.body":   "f.toml:9:17: bad", // not there: the table
		`env."a.b"`:                "f.toml:12:1: bad",
		"missing":                  "f.toml:1:1: bad",
		"":                         "f.toml:1:1: bad",
		`"a`:                       "f.toml:1:1: bad",
		"[":                        "f.toml:1:1: bad",
		"tuning[x":                 "f.toml:2:1: bad",
	} {
		if got := f.Errorf(key, "b%s", "ad").Error(); got != want {
			t.Errorf("Errorf(%q): %q, want %q", key, got, want)
		}
	}
	if !f.Has("request[1].expect.status") || f.Has("request[1].expect.body") || f.Has("request[2]") {
		t.Error("Has is wrong")
	}
	if got := (&File{Path: "z"}).Errorf("a.b", "bad").Error(); got != "z:1:1: bad" {
		t.Errorf("zero File: %q", got)
	}
}

func TestReadMissingFile(t *testing.T) {
	_, err := Read(fstest.MapFS{}, "no/such.toml", &doc{})
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "read no/such.toml: file does not exist" {
		t.Errorf("got %v", err)
	}
	if _, err := parse("f", nil, doc{}); err == nil {
		t.Error("a target that is no pointer was taken")
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"name", "title", "version", "scenarios", "env", "build_env", "run"}
	for word, want := range map[string]string{
		"verison": "version", "versoin": "version", "scenario": "scenarios", "NAME": "name", "builde_nv": "build_env",
		"evn": "env", "rnu": "run", "x": "", "": "", "zzzz": "", "toolchain": "",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if Nearest("a", nil) != "" {
		t.Error("nearest of nothing")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "name='a'", "[a]\nb.c=1\n[[a.d]]\n", "a=[[1,[2]],{b={c=1}}]", "\"\"=1\n''.x=2",
		"[[request]]\n[request.with.x]\nint=[1,2]",
		"request = [{path=1},{weigth=2}]", "a=1\n[a.b]\n[[a]]", "\xef\xbb\xbfname='x'", "when=1979-05-27T07:32:00Z",
		"[nested.load]\nconnections=99999999999999999999",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d doc
		file, err := parse("f", []byte(text), &d)
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Errorf("error without a place: %q", err)
			}
			return
		}
		_ = file.Errorf(text, "x")
		_ = file.Has(text)
		Nearest(text, []string{"name", text})
	})
}
