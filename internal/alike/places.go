package alike

import (
	"fmt"
	"slices"
	"strings"
)

// wholeBody is a complete body, byteAt the position of one byte in a binary body.
type (
	wholeBody struct{}
	byteAt    int
)

func (wholeBody) String() string     { return "" }
func (w wholeBody) anywhere() place  { return w }
func (wholeBody) covers(place) bool  { return true }
func (b byteAt) String() string      { return fmt.Sprintf("byte %d", int(b)) }
func (b byteAt) anywhere() place     { return b }
func (b byteAt) covers(p place) bool { return b == p }

// wordsAt is a part of a text, between the words and separators before it and those after it. If
// before or after is -1, it is one word, located from the other end alone.
type wordsAt struct {
	in            jsonPath // path to a string; nil: the body is the text
	line          int      // line in the body, counted from 1
	before, after int
	single        bool // one word in both texts
}

func (w wordsAt) String() string {
	if w.in != nil {
		return w.in.String()
	}
	return fmt.Sprintf("line %d", w.line)
}

func (w wordsAt) anywhere() place {
	if w.in != nil {
		w.in = w.in.anywhere().(jsonPath)
	}
	return w
}

func (w wordsAt) covers(p place) bool {
	o, ok := p.(wordsAt)
	if !ok || (w.in == nil) != (o.in == nil) || len(w.in) != len(o.in) || !w.in.covers(o.in) {
		return false
	}
	if w.before < 0 || w.after < 0 {
		return o.single && (o.before == w.before || o.after == w.after)
	}
	return o.before >= w.before && o.after >= w.after
}

// jsonPath is a path into JSON: names, and indices as "[3]"; "[*]" means any index, "*" any name.
type jsonPath []string

// String returns the path in jq's form: .users[3].name; the whole value is ".".
func (p jsonPath) String() string {
	var b strings.Builder
	for _, step := range p {
		switch {
		case isIndex(step):
			b.WriteString(step)
		case step == "" || strings.ContainsAny(step, ".[]\" "):
			fmt.Fprintf(&b, ".%q", step)
		default:
			b.WriteString("." + step)
		}
	}
	if text := b.String(); strings.HasPrefix(text, ".") {
		return text
	}
	return "." + b.String()
}

func isIndex(step string) bool { return strings.HasPrefix(step, "[") && strings.HasSuffix(step, "]") }

func (p jsonPath) anywhere() place {
	out := slices.Clone(p)
	for i, step := range out {
		if isIndex(step) {
			out[i] = "[*]"
		}
	}
	return out
}

// covers reports whether other is p or below it.
func (p jsonPath) covers(other place) bool {
	if w, ok := other.(wordsAt); ok && w.in != nil {
		other = w.in
	}
	o, ok := other.(jsonPath)
	if !ok || len(o) < len(p) {
		return false
	}
	for i, step := range p {
		any := step == "[*]" && isIndex(o[i]) || step == "*" && !isIndex(o[i])
		if step != o[i] && !any {
			return false
		}
	}
	return true
}

// parsePath reads a path as String writes it. The first dot, and a $ before it, may be missing; []
// is [*].
func parsePath(text string) (jsonPath, error) {
	wrong := fmt.Errorf("want a path such as json:.users[*].id, not json:%s", text)
	rest := strings.TrimPrefix(text, "$")
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		rest = "." + rest
	}
	path := jsonPath{}
	for rest != "" && rest != "." {
		var step string
		rest = strings.TrimPrefix(rest, ".")
		switch {
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 0 || strings.Trim(rest[1:end], "0123456789*") != "" {
				return nil, wrong
			}
			if step, rest = rest[:end+1], rest[end+1:]; step == "[]" {
				step = "[*]"
			}
		case strings.HasPrefix(rest, `"`):
			name, after, ok := strings.Cut(rest[1:], `"`)
			if !ok {
				return nil, wrong
			}
			step, rest = name, after
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if step, rest = rest[:end], rest[end:]; step == "" {
				return nil, wrong
			}
		}
		path = append(path, step)
	}
	return path, nil
}

// Places are paths, each of which includes all paths below it.
type Places []place

func (ps Places) cover(p place) bool {
	return p != nil && slices.ContainsFunc(ps, func(c place) bool { return c.covers(p) })
}

// Allowed lists the permitted differences between sides.
type Allowed struct {
	status, kind, body bool
	headers            []string // names of headers, in lower case
	json               Places
}

// ParseAllowed reads --differ values, each one or several with commas between: status, type, body,
// header:NAME, json:PATH.
func ParseAllowed(texts []string) (a Allowed, err error) {
	for _, text := range strings.Split(strings.Join(texts, ","), ",") {
		if text == "" && len(texts) == 0 {
			return a, nil
		}
		word, arg, given := strings.Cut(strings.TrimSpace(text), ":")
		switch {
		case word == "status" && !given:
			a.status = true
		case word == "type" && !given:
			a.kind = true
		case word == "body" && !given:
			a.body = true
		case word == "header" && arg != "":
			a.headers = append(a.headers, strings.ToLower(arg))
		case word == "json" && given:
			path, err := parsePath(arg)
			if err != nil {
				return a, fmt.Errorf("--differ %s: %w", text, err)
			}
			a.json = append(a.json, path)
		default:
			return a, fmt.Errorf("--differ %q: want status, type, body, header:NAME or json:PATH", text)
		}
	}
	return a, nil
}

// excuses returns the --differ value that allows d, or "".
func (a *Allowed) excuses(d *difference) string {
	name, header := strings.CutPrefix(d.what, "header:")
	switch {
	case d.what == "status" && a.status, d.what == "type" && a.kind:
		return d.what
	case d.what == "body" && a.body:
		return "body"
	case header && slices.Contains(a.headers, name):
		return d.what
	case d.what == "body" && a.json.cover(d.at):
		return "json:" + d.at.anywhere().String()
	}
	return ""
}
