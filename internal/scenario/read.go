package scenario

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/foreign"
)

// asFile is a scenario file. Keys that offer an alternative to a Scenario field are read separately from
// Scenario.
type asFile struct {
	Scenario
	Request []requestKeys `toml:"request"`
	Files   []struct {
		Path   string `toml:"path"`
		Folder string `toml:"folder"`
		Weight int    `toml:"weight"`
	} `toml:"files"`
}

// requestKeys is a Request in a file.
type requestKeys struct {
	Request
	Weight  *int                 `toml:"weight"` // nil: 1
	File    string               `toml:"body_file"`
	Repeat  int                  `toml:"repeat"` // how often the file is in the body; 0: once
	Headers map[string]string    `toml:"headers"`
	With    map[string]inputKeys `toml:"with"`
	Routes  string               `toml:"routes"`
	Values  inputKeys            `toml:"values"`
	Expect  struct {
		Expect
		Statuses string `toml:"statuses"`
		BodyFile string `toml:"body_file"`
		JSONFile string `toml:"json_file"`
	} `toml:"expect"`

	has func(key string) bool // reports whether the request has this key in the file
}

// inputKeys is an Input in a file: exactly one key must be set.
type inputKeys struct {
	Int  []int64  `toml:"int"`
	Pick []string `toml:"pick"`
	UUID bool     `toml:"uuid"`
	Seq  bool     `toml:"seq"`
}

// Folder is the folder for scenarios in a project.
const Folder = "scenarios"

// Methods lists the HTTP methods that a request may have.
var Methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Read reads scenarios/<name>.toml and checks it. Errors start with file:line:column.
func Read(fsys fs.FS, name string) (*Scenario, error) {
	var doc asFile
	file, err := conf.Read(fsys, path.Join(Folder, name+".toml"), &doc)
	if err != nil {
		return nil, err
	}
	if err := doc.complete(fsys, name, file.Has); err != nil {
		var m *mistake
		errors.As(err, &m) // complete returns nothing else
		return nil, file.Errorf(m.key, "%v", m.error)
	}
	return &doc.Scenario, nil
}

// complete fills in the scenario's requests. Errors are mistakes.
func (doc *asFile) complete(fsys fs.FS, name string, has func(key string) bool) error {
	if doc.Name != name {
		return wrong("name", "the scenario is named %q, but its file %q; use one name", doc.Name, name)
	}
	s := &doc.Scenario
	for i := range doc.Request {
		k, at := &doc.Request[i], fmt.Sprintf("request[%d]", i)
		k.has = func(key string) bool { return has(at + "." + key) }
		all, err := k.requests(fsys)
		if err != nil {
			return within(at, err)
		}
		for j := range all {
			if err := s.checkRead(&all[j]); err != nil {
				return within(at, err)
			}
		}
		if s.Requests = append(s.Requests, all...); k.has("routes") {
			s.Routes = append(s.Routes, path.Join(Folder, k.Routes))
		}
	}
	for i, f := range doc.Files {
		if err := s.addFiles(fsys, f.Path, f.Folder, f.Weight); err != nil {
			return within(fmt.Sprintf("files[%d]", i), err)
		}
	}
	if err := cmp.Or(s.check(), s.checkDatabase(fsys)); err != nil {
		return err
	}
	for i := range s.Services {
		s.Services[i].Dir = Folder
	}
	if _, err := s.Compile("localhost", Options{Loose: true}); err != nil {
		return wrong("request", "%w", err)
	}
	return nil
}

// mostBody limits the size of a request's body that is made from a file, in bytes.
const mostBody = 64 << 20

// requests returns the request that k describes, or one request per route.
func (k *requestKeys) requests(fsys fs.FS) ([]Request, error) {
	r := k.Request
	if k.has("body_file") {
		text, err := readText(fsys, k.File)
		switch {
		case err != nil:
			return nil, wrong("body_file", "%w", err)
		case k.has("body"):
			return nil, wrong("body_file", "body also sets the body; want one of body and body_file")
		case k.Repeat < 0 || len(*text)*k.Repeat > mostBody:
			return nil, wrong("repeat", "%d: want 1 or more, and a body of at most %d MiB", k.Repeat, mostBody>>20)
		}
		r.Body, r.Verbatim = strings.Repeat(*text, max(1, k.Repeat)), true
	}
	r.Weight, r.With, r.Expect = 1, map[string]Input{}, k.Expect.Expect
	if k.Weight != nil {
		r.Weight = *k.Weight
	}
	r.Name = cmp.Or(r.Name, r.Method+" "+r.Path)
	for _, name := range sortedKeys(k.Headers) {
		secret := name + ": " + k.Headers[name]
		for named, in := range k.With {
			secret = strings.ReplaceAll(secret, "{"+named+"}", strings.Join(in.Pick, ";"))
		}
		foreign.Learn([]string{secret}) // if it is one, by its name
		switch line := (HeaderLine{Name: name, Value: k.Headers[name]}); {
		case r.hasHeader(name):
			return nil, wrong("headers."+name, "%s is given twice", name)
		case strings.EqualFold(name, "host"): // Host goes first (RFC 9110, section 7.2)
			r.Headers = slices.Insert(r.Headers, 0, line)
		default:
			r.Headers = append(r.Headers, line)
		}
	}
	for _, name := range sortedKeys(k.With) {
		in, err := k.With[name].input()
		if err != nil {
			return nil, within("with."+name, err)
		}
		r.With[name] = in
	}
	if r.Expect.SHA256 {
		if !r.Verbatim {
			return nil, wrong("expect.sha256", "the request's body must come from a body_file")
		}
		r.Expect.Body = new(fmt.Sprintf("%x", sha256.Sum256([]byte(r.Body))))
		r.Expect.Verbatim = true
	}
	if err := k.expect(fsys, &r.Expect); err != nil {
		return nil, within("expect", err)
	}
	switch {
	case k.has("routes"):
		return k.routes(fsys, r)
	case k.has("values"):
		return nil, wrong("values", "parameters without routes; set, for example, routes = \"routes/github.routes\"")
	}
	return []Request{r}, nil
}

// expect sets the fields that a file specifies by other keys than Expect's.
func (k *requestKeys) expect(fsys fs.FS, e *Expect) (err error) {
	if k.has("expect.statuses") {
		if e.Statuses, err = ParseStatuses(k.Expect.Statuses); err != nil {
			return wrong("statuses", "%w", err)
		}
	}
	bodies := []string{"body", "body_file", "json", "json_file", "json_of", "rows", "sha256", "recalls"}
	bodies = slices.DeleteFunc(bodies, func(key string) bool { return !k.has("expect." + key) })
	if len(bodies) > 1 {
		return wrong(bodies[1], "%s also defines the body; want only one of body, body_file, json, json_file, "+
			"json_of, rows, sha256 and recalls", bodies[0])
	}
	if k.has("expect.body_file") {
		e.Verbatim = true
		if e.Body, err = readText(fsys, k.Expect.BodyFile); err != nil {
			return wrong("body_file", "%w", err)
		}
	}
	if k.has("expect.json_file") {
		if e.JSON, err = readText(fsys, k.Expect.JSONFile); err != nil {
			return wrong("json_file", "%w", err)
		}
	}
	return nil
}

// readText reads a file with a name relative to Folder.
func readText(fsys fs.FS, name string) (*string, error) {
	full := path.Join(Folder, name)
	if !fs.ValidPath(full) {
		return nil, fmt.Errorf("%q is not a file of the project", name)
	}
	b, err := fs.ReadFile(fsys, full)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", full, errors.Unwrap(err))
	}
	text := string(b)
	return &text, nil
}

// addFiles adds a request for each file below folder, at the same path below prefix, whose body must be the
// file's byte for byte.
func (s *Scenario) addFiles(fsys fs.FS, prefix, folder string, weight int) error {
	if !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") {
		return wrong("path", "%q: want a path that starts and ends with /, such as /public/", prefix)
	}
	root := path.Join(Folder, folder)
	if !fs.ValidPath(root) {
		return wrong("folder", "%q is not a folder of the project", folder)
	}
	n := len(s.Requests)
	err := fs.WalkDir(fsys, root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(file, root+"/")
		body, err := readText(fsys, path.Join(folder, rel))
		s.Requests = append(s.Requests, Request{Name: "file " + rel, Method: http.MethodGet, Path: prefix + rel,
			Weight: weight, Expect: Expect{Status: http.StatusOK, Body: body, Verbatim: true}})
		return err
	})
	if err == nil && n == len(s.Requests) {
		err = errors.New("the folder is empty")
	}
	if err != nil {
		return wrong("folder", "read %s: %w", root, err)
	}
	return nil
}

// mostPipeline limits the requests in flight on a connection.
const mostPipeline = 1 << 10

// check reports a mistake outside of the scenario's requests.
func (s *Scenario) check() error {
	anyContract := func(holds func(e *Expect) bool) bool {
		return slices.ContainsFunc(s.Requests, func(r Request) bool { return holds(&r.Expect) })
	}
	if err := checkServices(s.Services); err != nil {
		return err
	}
	switch {
	case s.Pipeline < 0 || s.Pipeline > mostPipeline:
		return wrong("pipeline", "%d: want 1 to %d", s.Pipeline, mostPipeline)
	case s.PerConnection < 0:
		return wrong("requests_per_connection", "%d: want 1 or more", s.PerConnection)
	case s.Session != "" && !isToken(s.Session):
		return wrong("session", "%q is not a valid name of a cookie", s.Session)
	case s.source() == "" && anyContract(func(e *Expect) bool { return e.JSONOf != "" }):
		return wrong("request", "json_of: there is no [[service]] of the project; add one, such as name = \"records\"")
	case s.Map[""] != "":
		return wrong("map", "cannot replace an empty text")
	case len(s.Map) > 0 && !anyContract(func(e *Expect) bool { return e.Collapse }):
		return wrong("map",
			"no request has collapse = true, and in bodies that are compared byte by byte nothing is replaced")
	}
	return nil
}

// input checks that exactly one key is set and has a valid value.
func (k inputKeys) input() (in Input, err error) {
	switch {
	case count(k.Int != nil, k.Pick != nil, k.UUID, k.Seq) != 1:
		return in, errors.New("want one of int, pick, uuid and seq")
	case k.Int != nil && (len(k.Int) != 2 || k.Int[0] > k.Int[1]):
		return in, wrong("int", "want two integers, the smaller first")
	case k.Int != nil:
		in.Int = [2]int64(k.Int)
	}
	in.Pick, in.UUID, in.Seq = k.Pick, k.UUID, k.Seq
	return in, nil
}

// checkRead reports a mistake in a request from a file. It rejects some things that Compile accepts, because
// in a file they are more likely a slip than intended.
func (s *Scenario) checkRead(r *Request) error {
	if !slices.Contains(Methods, r.Method) {
		return wrong("method", "%q is not an HTTP method; want one in capitals, such as GET", r.Method)
	}
	if _, err := s.compileOne(r, "localhost"); err != nil {
		return err
	}
	switch noCookie := "no session cookie is named; set session = \"name\" at the top of the file"; {
	case s.Session != "":
	case r.Remembers != "":
		return wrong("remembers", "%s", noCookie)
	case r.Expect.Session || r.Expect.Recalls:
		return wrong("expect", "%s", noCookie)
	}
	text := r.Path + r.Body
	for _, h := range r.Headers {
		text += h.Value
	}
	for _, name := range sortedKeys(r.With) {
		if !strings.Contains(text, "{"+name+"}") {
			return wrong("with."+name, "no placeholder {%s} in path, headers or body", name)
		}
	}
	return nil
}

// Names lists the scenarios of a project, sorted.
func Names(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, Folder+"/*.toml")
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	slices.Sort(files)
	return files, nil
}
