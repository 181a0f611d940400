package contestant

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/wire"
)

const good = `name = "mine"
title = "Mine"
language = "go"
framework = "net/http"
version = ">=1.24"
engine = "net/http"
scenarios = ["values"]
build = ["go", "build", "-o", "{out}/server", "."]
run = ["{out}/server"]
differs = ["chunked: its default"]
protocols = ["http", "h2"]
[toolchain]
go = ">=1.24"
[paths]
"/about" = "/Home/About"
"/public/" = "/"
`

func folder(text string) fstest.MapFS {
	return fstest.MapFS{"contestants/go/mine/contestant.toml": {Data: []byte(text)}}
}

func TestReadManifest(t *testing.T) {
	m, err := readNamed(folder(good), "contestants/go/mine")
	if err != nil || m.Name != "mine" || m.Managed() {
		t.Fatalf("%+v, %v", m, err)
	}
	if !slices.Equal(m.Protocols, []wire.HTTP{wire.Clear, wire.H2}) {
		t.Errorf("it serves %q", m.Protocols)
	}
	m, err = readNamed(folder(strings.Replace(good, `protocols = ["http", "h2"]`, "", 1)), "contestants/go/mine")
	if err != nil || !slices.Equal(m.Protocols, []wire.HTTP{wire.Clear}) {
		t.Errorf("without protocols: %+v, %v", m, err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`title =`, `titel =`, `contestant.toml:2:1: unknown key "titel"; did you mean "title"?`},
		{`name = "mine"`, `name = "other"`, `contestant.toml:1:`},
		{`engine = "net/http"`, ``, `needs "engine"`},
		{`engine = "net/http"`, `engine = nethttp`,
			"contestant.toml:6:10: a word without quotes is not a value; put text in quotes"},
		{`run = ["{out}/server"]`, `run = []`, "contestant.toml:9:"},
		{`"chunked: its default"`, `"gzip: why"`, "contestant.toml:10:"},
		{`"chunked: its default"`, `"chunked"`, `want "key: reason"`},
		{`go = ">=1.24"`, `"../go" = ">=1.80"`, `"../go" is not a toolchain`},
		{`go = ">=1.24"`, `go = "1.24"`, "want a minimum version"},
		{`version = ">=1.24"`, `version = "newest"`, "contestant.toml:5:"},
		{`scenarios = ["values"]`, `scenarios = "values"`, "contestant.toml:7:"},
		{`["http", "h2"]`, `"h2"`, "contestant.toml:11:"},
		{`["http", "h2"]`, `["http", "quic"]`, `contestant.toml:11:22: "quic" is no protocol; want http, https,`},
		{`["http", "h2"]`, `["http", "h2", "h2"]`, `contestant.toml:11:28: "h2" is named twice`},
		{`["http", "h2"]`, `["h2"]`, `contestant.toml:11:1: "http" is missing`},
		{`["http", "h2"]`, `[]`, `contestant.toml:11:1: "http" is missing`},
		{`"/Home/About"`, `"Home/About"`, `contestant.toml:15:1: "/about" = "Home/About": want the scenario's path`},
		{`"/about" =`, `"/about?x" =`, "contestant.toml:15:1:"},
		{`"/public/" = "/"`, `"/public/" = "/static"`,
			"contestant.toml:16:1: \"/public/\" = \"/static\": a path that ends in /"},
	} {
		_, err := readNamed(folder(strings.Replace(good, c.from, c.to, 1)), "contestants/go/mine")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: error %v; want %q", c.from, c.to, err, c.want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	fsys := folder(good)
	fsys["contestants/rust/mine/contestant.toml"] = fsys["contestants/go/mine/contestant.toml"]
	if _, err := List(fsys); err == nil || !strings.Contains(err.Error(), "is already used by contestants/go/mine") {
		t.Errorf("error %v", err)
	}
}
