package scenario

import (
	"cmp"
	"regexp"
	"strings"

	"dyno/internal/conf"
)

// placeholders are the inline placeholders, each with an example.
var placeholders = map[string]string{"int": "{int:1..1000}", "pick": "{pick:a,b}", "seq": "{seq}", "uuid": "{uuid}"}

// braced matches possible placeholders: a name in braces, perhaps with an argument.
var braced = regexp.MustCompile(`\{([A-Za-z]\w*)(?::[^{}]*)?\}`)

// misspelled returns the first braces in text with an unknown name, and an example of the placeholder with
// the nearest name; "" if none is near. In text with braces of its own, only names near a placeholder's
// count.
func misspelled(text string, ownBraces bool) (found, near string) {
	for _, m := range braced.FindAllStringSubmatch(text, -1) {
		if placeholders[m[1]] != "" {
			continue
		}
		near = placeholders[conf.Nearest(m[1], []string{"int", "pick", "seq", "uuid"})]
		if near != "" || !ownBraces {
			return m[0], near
		}
	}
	return "", ""
}

// spelled returns an error if a request has an unknown placeholder. A path cannot contain braces (RFC 3986);
// a header and a body can.
func spelled(s *Scenario) error {
	for i := range s.Requests {
		q := &s.Requests[i]
		if found, near := misspelled(q.Path, false); found != "" {
			return conf.Usagef("%s: unknown placeholder %s; want %s; to send braces, write %%7B and %%7D", q.Path, found,
				cmp.Or(near, "{int:1..1000}, {uuid}, {seq} or {pick:a,b}"))
		}
		var texts []string
		for _, h := range q.Headers {
			if !h.Verbatim {
				texts = append(texts, h.Value)
			}
		}
		if !q.Verbatim {
			texts = append(texts, q.Body)
		}
		if found, near := misspelled(strings.Join(texts, "\n"), true); found != "" {
			return conf.Usagef("--template: unknown placeholder %s in the headers or the body; did you mean %s? (to "+
				"send braces, omit --template, or pick them in a --scenario file: dyno help run)", found, near)
		}
	}
	return nil
}
