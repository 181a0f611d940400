package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// document is a scenario as it stands in its file.
type document struct {
	Name    string `toml:"name"`
	Title   string `toml:"title"`
	Request []struct {
		Name    string               `toml:"name"`
		Method  string               `toml:"method"`
		Path    string               `toml:"path"`
		Weight  *int                 `toml:"weight"`
		Headers map[string]string    `toml:"headers"`
		Body    string               `toml:"body"`
		With    map[string]inputKeys `toml:"with"`
		Expect  struct {
			Status   int               `toml:"status"`
			Statuses string            `toml:"statuses"`
			Body     *string           `toml:"body"`
			Length   *int64            `toml:"length"`
			SHA256   string            `toml:"sha256"`
			Headers  map[string]string `toml:"headers"`
		} `toml:"expect"`
	} `toml:"request"`
}

// inputKeys is an Input as it stands in a file: one of them is set.
type inputKeys struct {
	Int  []int64  `toml:"int"`
	Pick []string `toml:"pick"`
	UUID *bool    `toml:"uuid"`
	Seq  *bool    `toml:"seq"`
}

// Folder is where scenarios lie within a project.
const Folder = "scenarios"

// Read reads scenarios/<name>.toml. Errors carry file:line:column.
func Read(fsys fs.FS, name string) (*Scenario, error) {
	var doc document
	file, err := conf.Read(fsys, path.Join(Folder, name+".toml"), &doc)
	if err != nil {
		return nil, err
	}
	if doc.Name != name {
		return nil, file.Errorf("name", "the scenario is named %q; its file wants %q", doc.Name, name)
	}
	s := &Scenario{Name: doc.Name, Title: doc.Title}
	for i, r := range doc.Request {
		at := func(key string) string { return fmt.Sprintf("request[%d].%s", i, key) }
		q := Request{Name: r.Name, Method: r.Method, Path: r.Path, Headers: r.Headers, Body: r.Body, Weight: 1, With: map[string]Input{},
			Expect: Expect{Status: r.Expect.Status, Body: r.Expect.Body, Length: r.Expect.Length, SHA256: r.Expect.SHA256, Headers: r.Expect.Headers}}
		if r.Weight != nil {
			q.Weight = *r.Weight
		}
		if q.Name == "" {
			q.Name = q.Method + " " + q.Path
		}
		if file.Has(at("expect.statuses")) {
			if q.Expect.Statuses, err = ParseStatuses(r.Expect.Statuses); err != nil {
				return nil, file.Errorf(at("expect.statuses"), "%v", err)
			}
		}
		if file.Has(at("expect.sha256")) && r.Expect.SHA256 == "" {
			return nil, file.Errorf(at("expect.sha256"), "want 64 hexadecimal digits")
		}
		for _, name := range sortedKeys(r.With) {
			in, key, err := r.With[name].input()
			if err != nil {
				return nil, file.Errorf(at("with."+name+key), "%v", err)
			}
			q.With[name] = in
		}
		if key, err := q.mistaken(i); err != nil {
			return nil, file.Errorf(at(key), "%v", err)
		}
		s.Requests = append(s.Requests, q)
	}
	if _, err := s.Compile("localhost", Options{}); err != nil {
		return nil, file.Errorf("request", "%v", err)
	}
	return s, nil
}

// input is what k says, or which of its keys is wrong, and how.
func (k inputKeys) input() (in Input, key string, err error) {
	kinds := 0
	for _, set := range []bool{k.Int != nil, k.Pick != nil, k.UUID != nil, k.Seq != nil} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return in, "", errors.New("want one of int, pick, uuid and seq")
	case k.Int != nil && (len(k.Int) != 2 || k.Int[0] > k.Int[1]):
		return in, ".int", errors.New("want two integers, the lower first")
	case k.Int != nil:
		in.Int = [2]int64(k.Int)
	case k.Pick != nil && len(k.Pick) == 0:
		return in, ".pick", errors.New("want what to pick from")
	case k.UUID != nil && !*k.UUID:
		return in, ".uuid", errors.New("want true, or another kind of input")
	case k.Seq != nil && !*k.Seq:
		return in, ".seq", errors.New("want true, or another kind of input")
	}
	in.Pick, in.UUID, in.Seq = k.Pick, k.UUID != nil, k.Seq != nil
	return in, "", nil
}

// mistaken says which key of the i-th request is wrong, and how. In files a slip is more likely than an odd wish.
func (r *Request) mistaken(i int) (key string, err error) {
	if !slices.Contains(methods, r.Method) {
		return "method", fmt.Errorf("%q is no HTTP method; write it in capitals", r.Method)
	}
	_, err = r.compile(i, "localhost", Options{})
	var m *mistake
	if errors.As(err, &m) {
		return m.key, m.error
	}
	text := r.Path + r.Body
	for _, value := range r.Headers {
		text += value
	}
	for _, name := range sortedKeys(r.With) {
		if !strings.Contains(text, "{"+name+"}") {
			return "with." + name, fmt.Errorf("no placeholder {%s} in path, headers or body", name)
		}
	}
	return "", err
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Names lists the scenarios of a project, sorted.
func Names(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, Folder+"/*.toml")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	slices.Sort(names)
	return names, nil
}
