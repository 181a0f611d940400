package scenario

import (
	"regexp"

	"dyno/internal/conf"
)

// braced matches a possible placeholder: a name in braces, perhaps with an argument.
var braced = regexp.MustCompile(`\{([A-Za-z]\w*)(?::[^{}]*)?\}`)

// spelled returns an error if a path has an unknown placeholder. A path cannot contain braces (RFC 3986).
func spelled(s *Scenario) error {
	for i := range s.Requests {
		for _, m := range braced.FindAllStringSubmatch(s.Requests[i].Path, -1) {
			switch m[1] {
			case "int", "pick", "seq", "uuid":
				continue
			}
			return conf.Usagef("%s: unknown placeholder %s; want {int:1..1000}, {uuid}, {seq} or {pick:a,b}; to send "+
				"braces, write %%7B and %%7D", s.Requests[i].Path, m[0])
		}
	}
	return nil
}
