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
	Name      string            `toml:"name"`
	Title     string            `toml:"title"`
	Cookies   bool              `toml:"cookies"`
	Session   string            `toml:"session"`
	Companion string            `toml:"companion"`
	Map       map[string]string `toml:"map"`
	Request   []requestKeys     `toml:"request"`
	Files     []struct {
		Path   string `toml:"path"`
		Folder string `toml:"folder"`
	} `toml:"files"`
}

// requestKeys is a Request as it stands in a file.
type requestKeys struct {
	Name      string               `toml:"name"`
	Method    string               `toml:"method"`
	Path      string               `toml:"path"`
	Weight    *int                 `toml:"weight"`
	Headers   map[string]string    `toml:"headers"`
	Body      string               `toml:"body"`
	With      map[string]inputKeys `toml:"with"`
	Remembers string               `toml:"remembers"`
	Routes    string               `toml:"routes"`
	Values    inputKeys            `toml:"values"`
	Expect    struct {
		Status   int               `toml:"status"`
		Statuses string            `toml:"statuses"`
		Body     *string           `toml:"body"`
		BodyFile string            `toml:"body_file"`
		Collapse bool              `toml:"collapse"`
		JSON     *string           `toml:"json"`
		JSONFile string            `toml:"json_file"`
		JSONOf   string            `toml:"json_of"`
		Length   *int64            `toml:"length"`
		SHA256   string            `toml:"sha256"`
		Headers  map[string]string `toml:"headers"`
		Session  bool              `toml:"session"`
		Recalls  bool              `toml:"recalls"`
	} `toml:"expect"`
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
	s := &Scenario{Name: doc.Name, Title: doc.Title, Cookies: doc.Cookies, Session: doc.Session, Companion: doc.Companion, Map: doc.Map}
	for i := range doc.Request {
		at := func(key string) string { return fmt.Sprintf("request[%d].%s", i, key) }
		has := func(key string) bool { return file.Has(at(key)) }
		q, key, err := doc.Request[i].request(fsys, has)
		all := []Request{q}
		switch {
		case err != nil:
		case has("routes"):
			all, key, err = doc.Request[i].routes(fsys, q, has)
			s.Routes = append(s.Routes, path.Join(Folder, doc.Request[i].Routes))
		case has("values"):
			key, err = "values", errors.New("of the parameters of which routes? say routes = \"routes/github.routes\"")
		}
		for k := 0; k < len(all) && err == nil; k++ {
			key, err = all[k].mistaken(s)
		}
		if err != nil {
			return nil, file.Errorf(at(key), "%v", err)
		}
		s.Requests = append(s.Requests, all...)
	}
	for i, f := range doc.Files {
		if key, err := s.files(fsys, f.Path, f.Folder); err != nil {
			return nil, file.Errorf(fmt.Sprintf("files[%d].%s", i, key), "%v", err)
		}
	}
	if key, err := s.mistaken(); err != nil {
		return nil, file.Errorf(key, "%v", err)
	}
	if _, err := s.compile("localhost", Options{}, true); err != nil {
		return nil, file.Errorf("request", "%v", err)
	}
	return s, nil
}

// request is what k says, or which of its keys is wrong, and how. Has tells which keys are there.
func (k *requestKeys) request(fsys fs.FS, has func(key string) bool) (q Request, key string, err error) {
	e := &k.Expect
	q = Request{Name: k.Name, Method: k.Method, Path: k.Path, Body: k.Body, Weight: 1, With: map[string]Input{}, Remembers: k.Remembers,
		Expect: Expect{Status: e.Status, Body: e.Body, Length: e.Length, SHA256: e.SHA256, Headers: e.Headers, Collapse: e.Collapse,
			JSON: e.JSON, JSONOf: e.JSONOf, Session: e.Session, Recalls: e.Recalls}}
	for _, name := range sortedKeys(k.Headers) {
		switch line := (HeaderLine{Name: name, Value: k.Headers[name]}); {
		case q.says(name):
			return q, "headers." + name, fmt.Errorf("%s stands there twice", name)
		case strings.EqualFold(name, "host"): // it goes first (RFC 9110 7.2)
			q.Headers = slices.Insert(q.Headers, 0, line)
		default:
			q.Headers = append(q.Headers, line)
		}
	}
	if k.Weight != nil {
		q.Weight = *k.Weight
	}
	if q.Name == "" {
		q.Name = q.Method + " " + q.Path
	}
	if has("expect.statuses") {
		if q.Expect.Statuses, err = ParseStatuses(e.Statuses); err != nil {
			return q, "expect.statuses", err
		}
	}
	if has("expect.sha256") && e.SHA256 == "" {
		return q, "expect.sha256", errors.New("want 64 hexadecimal digits")
	}
	for _, name := range sortedKeys(k.With) {
		in, key, err := k.With[name].input()
		if err != nil {
			return q, "with." + name + key, err
		}
		q.With[name] = in
	}
	said := 0
	for _, key := range []string{"body", "body_file", "json", "json_file", "json_of", "recalls"} {
		if has("expect." + key) {
			if said++; said > 1 {
				return q, "expect." + key, errors.New("the body has been said otherwise: want one of body, body_file, json, json_file, json_of and recalls")
			}
		}
	}
	if has("expect.body_file") {
		q.Expect.Verbatim = true
		if q.Expect.Body, err = read(fsys, e.BodyFile); err != nil {
			return q, "expect.body_file", err
		}
	}
	if has("expect.json_file") {
		if q.Expect.JSON, err = read(fsys, e.JSONFile); err != nil {
			return q, "expect.json_file", err
		}
	}
	return q, "", nil
}

// read reads a file whose name is relative to the scenarios' folder.
func read(fsys fs.FS, name string) (*string, error) {
	full := path.Join(Folder, name)
	if !fs.ValidPath(full) {
		return nil, fmt.Errorf("%q is no file of the project", name)
	}
	b, err := fs.ReadFile(fsys, full)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", full, errors.Unwrap(err))
	}
	text := string(b)
	return &text, nil
}

// files adds a request for each file below folder, at the same place below prefix: verified byte for byte, never loaded. Or it says which key is
// wrong, and how.
func (s *Scenario) files(fsys fs.FS, prefix, folder string) (key string, err error) {
	if !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") {
		return "path", fmt.Errorf("%q: want one from / to /, such as /public/", prefix)
	}
	root := path.Join(Folder, folder)
	if !fs.ValidPath(root) {
		return "folder", fmt.Errorf("%q is no folder of the project", folder)
	}
	n := len(s.Requests)
	err = fs.WalkDir(fsys, root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(file, root+"/")
		body, err := read(fsys, path.Join(folder, rel))
		s.Requests = append(s.Requests, Request{Name: "file " + rel, Method: http.MethodGet, Path: prefix + rel,
			Expect: Expect{Status: http.StatusOK, Body: body, Verbatim: true}})
		return err
	})
	if err == nil && n == len(s.Requests) {
		err = errors.New("it holds no file")
	}
	if err != nil {
		return "folder", fmt.Errorf("read %s: %w", root, err)
	}
	return "", nil
}

// mistaken says which key of the scenario itself is wrong, and how.
func (s *Scenario) mistaken() (key string, err error) {
	switch {
	case s.Session != "" && !isToken(s.Session):
		return "session", fmt.Errorf("%q is no name of a cookie", s.Session)
	case s.Companion == "" && slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Expect.JSONOf != "" }):
		return "request", errors.New("json_of: say which companion answers there: companion = \"records\"")
	case s.Map[""] != "":
		return "map", errors.New("nothing cannot be replaced")
	case len(s.Map) > 0 && !slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Expect.Collapse }):
		return "map", errors.New("no request says collapse = true: nothing is replaced in what is compared byte for byte")
	}
	return "", nil
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

// mistaken says which key of a request of s is wrong, and how. In files a slip is more likely than an odd wish.
func (r *Request) mistaken(s *Scenario) (key string, err error) {
	if !slices.Contains(methods, r.Method) {
		return "method", fmt.Errorf("%q is no HTTP method; write it in capitals", r.Method)
	}
	_, err = s.one(r, "localhost", Options{})
	var m *mistake
	if errors.As(err, &m) {
		return m.key, m.error
	}
	switch {
	case s.Session != "":
	case r.Remembers != "":
		return "remembers", errors.New("say by which cookie: session = \"name\", at the top")
	case r.Expect.Session || r.Expect.Recalls:
		return "expect", errors.New("say by which cookie: session = \"name\", at the top")
	}
	text := r.Path + r.Body
	for _, h := range r.Headers {
		text += h.Value
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
