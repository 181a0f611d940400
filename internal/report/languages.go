package report

import (
	"slices"
	"strings"

	"dyno/internal/document"
)

// languages maps languages to their names and colours; all other languages share one colour.
// Languages with a common runtime, such as C# and F#, look alike.
var languages = map[string][2]string{
	"go": {"Go", "go"}, "csharp": {"C#", "dotnet"}, "fsharp": {"F#", "dotnet"}, "dotnet": {".NET", "dotnet"},
	"rust": {"Rust", "rust"},
	"java": {"Java", "jvm"}, "kotlin": {"Kotlin", "jvm"}, "scala": {"Scala", "jvm"}, "javascript": {"JavaScript", "js"},
	"typescript": {"TypeScript", "js"}, "node": {"Node.js", "js"}, "python": {"Python", "python"}, "c": {"C", "native"},
	"cpp": {"C++", "native"}, "zig": {"Zig", "native"}, "php": {"PHP", "script"}, "ruby": {"Ruby", "script"},
	"elixir": {"Elixir", "script"},
}

// language returns the name and the colour of a row's language.
func (r *Row) language() (name, key string) {
	if r.Built == nil {
		return "", "other"
	}
	if l, ok := languages[strings.ToLower(r.Built.Language)]; ok {
		return l[0], l[1]
	}
	return r.Built.Language, "other"
}

// Key returns a row's colour.
func (r *Row) Key() string {
	if r.Control {
		return "control"
	}
	_, key := r.language()
	return key
}

// metaOf returns a row's language and HTTP engine.
func metaOf(r Row) string {
	if r.Built == nil {
		return ""
	}
	name, _ := r.language()
	return strings.Join(NonEmpty(name, r.Built.Engine), " · ")
}

// Legend returns the contestants' colours.
func (v *View) Legend() (list []document.LegendItem) {
	for _, r := range v.rows {
		if r.Built == nil {
			continue
		}
		name, key := r.language()
		if key == "other" {
			name = key
		}
		i := slices.IndexFunc(list, func(l document.LegendItem) bool { return l.Key == key })
		switch {
		case i < 0:
			list = append(list, document.LegendItem{Key: key, Name: name})
		case !strings.Contains(list[i].Name, name):
			list[i].Name += ", " + name
		}
	}
	return list
}
