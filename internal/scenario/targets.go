package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/document"
)

// Aim is one of several requests: from a targets file, or one of several URLs.
type Aim struct {
	URL string // a URL, or a path at the server
	at  string // "FILE:LINE: " for errors; "" for a URL on the command line

	method  string // "": the Request's
	headers []HeaderLine
	file    string // source of body
	body    string
	path    string // the path in URL, set by Target.Aim
}

// Aims returns the requests for several URLs.
func Aims(urls []string) (aims []Aim) {
	for _, u := range urls {
		aims = append(aims, Aim{URL: u})
	}
	return aims
}

// ReadTargets reads requests from a file in vegeta's format, or with "-" from standard input:
//
//	METHOD URL
//	Name: value
//	@FILE that holds the body
//
// Headers and body may be absent. A blank line, or the next METHOD URL, ends a request. Lines that begin with
// # are comments. The URL may be a path.
func ReadTargets(ctx context.Context, name string) ([]Aim, error) {
	read := readFile
	if name == "-" {
		name = "standard input"
		read = func(flag, _ string) (string, error) { return readInput(ctx, flag) }
	}
	text, err := read("--targets", name)
	if err != nil {
		return nil, err
	}
	var aims []Aim
	bodies := map[string]string{} // by file
	open := false                 // whether lines belong to the last request
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSpace(line)
		at := fmt.Sprintf("%s:%d: ", name, number)
		method, url, begins := strings.Cut(line, " ")
		switch begins = begins && isMethod(method); {
		case strings.HasPrefix(line, "#"):
		case line == "":
			open = false
		case begins:
			open = true
			if method, err = readMethod(method); err != nil {
				return nil, conf.Usagef("%s%w", at, err)
			}
			aims = append(aims, Aim{URL: strings.TrimSpace(url), at: at, method: method})
		case !open:
			return nil, conf.Usagef("%swant METHOD URL, such as GET http://127.0.0.1:8080/, not %q", at, line)
		default:
			if err := aims[len(aims)-1].add(line, bodies); err != nil {
				return nil, conf.Usagef("%s%w", at, err)
			}
		}
	}
	if len(aims) == 0 {
		return nil, conf.Usagef("--targets %s: no request in it; want lines of METHOD URL", name)
	}
	return aims, nil
}

// add parses a line below METHOD URL: a header, or the body's file, which is read once.
func (a *Aim) add(line string, bodies map[string]string) error {
	file, isBody := strings.CutPrefix(line, "@")
	if !isBody {
		h, _, err := readHeaders([]string{line}, false)
		a.headers = append(a.headers, h...)
		return err
	}
	if a.file != "" {
		return fmt.Errorf("@%s: the request has a body already, @%s", file, a.file)
	}
	body, known := bodies[file]
	if !known {
		var err error
		if body, err = readFile("@"+file, file); err != nil {
			return err
		}
		bodies[file] = body
	}
	a.file, a.body = file, body
	return nil
}

// readMethod returns a method in capitals. It rejects CONNECT, which asks for a tunnel (RFC 9110, section
// 9.3.6).
func readMethod(word string) (string, error) {
	method := strings.ToUpper(word)
	switch {
	case !isMethod(word):
		return "", errors.New("want a method, such as GET, POST or PURGE")
	case method == http.MethodConnect:
		return "", errors.New("want a method that has a response, such as GET; CONNECT asks for a tunnel")
	}
	return method, nil
}

// isMethod reports whether a word may be a method: letters, perhaps with hyphens. A token may hold other
// characters (RFC 9110, section 9.1), such as digits, which here are more likely a slip.
func isMethod(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool {
		return r != '-' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}

// Aim points the requests at the server. All of them must name it.
func (t *Target) Aim(aims []Aim) error {
	origin, at := t.origin()
	for i := range aims {
		a := &aims[i]
		url := a.URL
		if strings.HasPrefix(url, "/") {
			url = origin + url
		}
		own, _, _, err := parseURL(url)
		if err != nil {
			return conf.Usagef("%s%w", a.at, err)
		}
		if other, _ := own.origin(); other != origin {
			return conf.Usagef("%s%s is not at %s: dyno load loads one server; start one dyno load for each, or "+
				"compare them with dyno compare", a.at, a.URL, origin)
		}
		a.path = own.Path
	}
	t.URL = origin + " (" + document.Count(len(aims), "request") + ")" + at
	return nil
}

// origin returns the URL's scheme, host and port, and any text that follows it.
func (t *Target) origin() (origin, at string) {
	url, at, found := strings.Cut(t.URL, " ") // at ADDRESS
	if found {
		at = " " + at
	}
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host, at
}

// distinct returns the different aims in order, and the number of occurrences of each.
func distinct(aims []Aim) (list []*Aim, times []int) {
	seen := map[string]int{} // index in list
	for i := range aims {
		key := aims[i].key()
		at, again := seen[key]
		if !again {
			at = len(list)
			seen[key] = at
			list, times = append(list, &aims[i]), append(times, 0)
		}
		times[at]++
	}
	return list, times
}

// key identifies equal requests.
func (a *Aim) key() string { return fmt.Sprintf("%s %s %q %+v", a.method, a.path, a.file, a.headers) }

// request returns a's request, with the other fields from base. base's headers replace those in a with the
// same name.
func (a *Aim) request(base Request) Request {
	base.Path = a.path
	if a.method == "" {
		return base
	}
	base.Method, base.Body, base.Headers = a.method, a.body, merged(base.Headers, a.headers)
	for i := range base.Headers {
		base.Headers[i].Verbatim = base.Headers[i].Verbatim || base.Verbatim
	}
	return base
}
