package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/contestant"
)

// Dependencies finds the packages in the files of all languages, without a go.mod's indirect or replaced
// ones.
func TestDependencies(t *testing.T) {
	fsys := fstest.MapFS{
		"c/go/a/go.mod": {Data: []byte("module a\n\nrequire (\n\tb.org/b v1.2.3\n\tdyno/harness v0.0.0\n)\n\n" +
			"replace dyno/harness => ../x\n\nrequire c.org/c v1.0.0 // indirect\n\n" +
			"require a.org/a v2.0.0+incompatible\n")},
		"c/go/a/main.go":         {Data: []byte("package main\n")},
		"c/net/b/B.csproj":       {Data: []byte(`<PackageReference Include="New.Json" Version="[13.0.4]" />`)},
		"c/js/c/package.json":    {Data: []byte(`{"private": true, "dependencies": {"frob": "5.3.0", "@a/b": "1.0.0"}}`)},
		"c/py/d/requirements.in": {Data: []byte("frob==1.2.3\nfrob-it==4.0.0\n")},
		"c/rs/e/Cargo.toml": {Data: []byte("[package]\nname = \"e\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n" +
			"[dependencies]\nfrob = \"1.2.3\"\nfrob-it = { version = \"4.0.0\", features = [\"a\"] }\n")},
		"c/go/bad/go.mod": {Data: []byte("module\n")},
	}
	for dir, want := range map[string][]Dependency{
		"c/go/a":  {{"a.org/a", "v2.0.0+incompatible"}, {"b.org/b", "v1.2.3"}},
		"c/net/b": {{"New.Json", "13.0.4"}},
		"c/js/c":  {{"@a/b", "1.0.0"}, {"frob", "5.3.0"}},
		"c/py/d":  {{"frob", "1.2.3"}, {"frob-it", "4.0.0"}},
		"c/rs/e":  {{"frob", "1.2.3"}, {"frob-it", "4.0.0"}},
	} {
		got, err := Dependencies(&contestant.Manifest{Path: dir}, fsys)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", dir, got, err, want)
		}
	}
	if _, err := Dependencies(&contestant.Manifest{Path: "c/go/bad"}, fsys); err == nil {
		t.Error("a broken go.mod is read")
	}
}

func TestBehind(t *testing.T) {
	for _, c := range []struct {
		has, newest string
		behind      bool
	}{
		{"v1.9.0", "v1.10.0", true}, {"v1.10.0", "v1.10.0", false}, {"v2.0.0", "v1.9.0", false},
		{"5.2.1", "5.3.0", true}, {"v4.0.1+incompatible", "v4.0.1+incompatible", false},
		{"v0.0.0-20170224044927-56d7ebb6470b", "v0.0.0-20200101000000-000000000000", true},
	} {
		if got := (Dependency{Version: c.has}).Behind(Newest{Version: c.newest}); got != c.behind {
			t.Errorf("%s against %s: %t", c.has, c.newest, got)
		}
	}
	if (Dependency{Version: "v1.0.0"}).Behind(Newest{Version: "v2.0.0", Err: os.ErrNotExist}) {
		t.Error("what the registry does not name is newer")
	}
}

// AskNewest uses the registries' real clients: go with a proxy in a folder, npm and dotnet as fake programs.
func TestAskNewest(t *testing.T) {
	proxy := t.TempDir()
	at := filepath.Join(proxy, "b.org", "b", "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": "v1.2.3\nv1.3.0\n", "v1.3.0.info": `{"Version":"v1.3.0","Time":"2026-01-02T03:04:05Z"}`,
		"v1.3.0.mod": "module b.org/b\n",
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GONOSUMDB", "*")
	m := &contestant.Manifest{Toolchain: map[string]string{"go": ">=1.24"}}
	tc, err := contestant.Find(t.Context(), m, contestant.FindOptions{Cache: t.TempDir()})
	if err != nil {
		t.Skip(err)
	}
	found, err := AskNewest(t.Context(), tc, []string{"b.org/b", "b.org/gone"})
	if err != nil || found["b.org/b"].Version != "v1.3.0" || found["b.org/gone"].Err == nil {
		t.Errorf("%v, %v", found, err)
	}
	tc.Env["GOPROXY"] = "http://127.0.0.1:1"
	if _, err := AskNewest(t.Context(), tc, []string{"b.org/b"}); err == nil ||
		!strings.Contains(err.Error(), "ask for the newest of 1 packages of go: ") {
		t.Errorf("offline: %v", err)
	}

	dir := t.TempDir()
	for name, answer := range map[string]string{
		"npm": `case "$*" in "view frob version") echo 5.3.0;; *) echo "npm error code $2" >&2; exit 1;; esac`,
		"python3": `case "$*" in "-m pip index versions frob") printf 'frob (1.2.3)\nAvailable versions: 1.2.3\n';;
			*) echo "no match" >&2; exit 1;; esac`,
		"cargo": `[ "$*" = "info frob" ] && printf 'frob #tag\nversion: 1.2.3\n'`,
		"dotnet": `case "$3" in
			New.Json) echo '{"searchResult":[{"packages":[{"version":"9.0.1"},{"version":"13.0.4"},
				{"version":"14.0.0-beta"}]}]}';;
			Old) echo '{"searchResult":[]}';;
			*) echo '{"searchResult":[{"problems":[{"text":"no index"}]}]}';;
			esac`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+answer+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ tool, name, version, gone, err string }{
		{"node", "frob", "5.3.0", "", ""}, {"node", "E404", "", "npm error code E404", ""},
		{"node", "ENOTFOUND", "", "", "npm error code ENOTFOUND"},
		{"dotnet", "New.Json", "13.0.4", "", ""}, {"dotnet", "Old", "", "have none of that name", ""},
		{"dotnet", "x", "", "", "no index"}, {"ruby", "x", "", "", "no registry of packages for ruby"},
		{"python3", "frob", "1.2.3", "", ""}, {"python3", "x", "", "no match", ""}, {"cargo", "frob", "1.2.3", "", ""},
	} {
		tc := contestant.Toolchain{Name: c.tool, Program: filepath.Join(dir, c.tool)}
		found, err := AskNewest(t.Context(), tc, []string{c.name})
		text := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		if found[c.name].Version != c.version || !strings.Contains(text(found[c.name].Err), c.gone) ||
			!strings.Contains(text(err), c.err) || (err == nil) != (c.err == "") {
			t.Errorf("%s %s: %v, %v", c.tool, c.name, found, err)
		}
	}
}
