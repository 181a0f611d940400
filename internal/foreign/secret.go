package foreign

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Hidden replaces a secret.
const Hidden = "***"

// Name reports whether a header, field, variable or flag with this name has a secret value.
func Name(name string) bool { return secretName().MatchString(name) }

var secretName = pattern(`(?i)^-*((proxy-)?authorization|(set-)?cookie|(.*[-_])?api_?key|.*[-_]key|` +
	`.*(token|secret|password|passwd|passphrase).*|.*pwd|(.*[-_.])?pass)$`)

// pattern compiles a regular expression when it is first asked for.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Assignments of a value to a name: NAME=VALUE in variables, queries, forms and flags; a header
// line NAME: VALUE; "NAME": VALUE in JSON; --NAME VALUE. The end of a quoted VALUE may be cut off.
var (
	equals = pattern(`([A-Za-z0-9_.-]+)(=)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s&;'"]+(?:'[^\s&;'"]+)*)`)
	header = pattern(`(?m)^([A-Za-z0-9_.-]+)(:[ \t]*)([^\r\n]+)`)
	colon  = pattern(`([A-Za-z0-9_.-]+)(["']?[ \t]*:[ \t]*)("(?:[^"\\]|\\.)*"?|'[^']*'?` +
		`|\[[^\]]*\]?|\{[^}]*\}?|[^\n'"}]+)`)
	flag     = pattern(`(--?[A-Za-z0-9_.-]+)([ \t]+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s-][^\s]*)`)
	userinfo = pattern(`([A-Za-z][A-Za-z0-9+.-]*)(://)([^/\s@'"?#]+)@`)
)

// Mask returns text – a command-line argument, a URL, or part of an HTTP message – with secrets
// replaced by Hidden.
func Mask(text string) string {
	if !strings.ContainsAny(text, "=: \t") {
		return text
	}
	masked, _ := mask(text)
	return masked
}

// Value returns the masked value of a header or JSON member: Hidden if its name says that it is
// secret.
func Value(name, value string) string {
	if Name(name) {
		return Hidden
	}
	return Received(value)
}

// Missing returns the names of the secrets that a command line lacks, because Hidden replaces them.
func Missing(args []string) (names []string) {
	for i, arg := range args {
		if !strings.Contains(arg, Hidden) {
			continue // mask also finds values that it hid itself
		}
		_, all := mask(arg)
		if i > 0 && Name(args[i-1]) && arg == Hidden {
			all = append(all, found{args[i-1], Hidden})
		}
		for _, s := range all {
			if s.value == Hidden && !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
		}
	}
	return names
}

type found struct{ name, value string }

func mask(text string) (masked string, all []found) {
	hide := func(re *regexp.Regexp, end string, is func(string) bool) {
		text = re.ReplaceAllStringFunc(text, func(match string) string {
			part := re.FindStringSubmatch(match)
			if !is(part[1]) || strings.HasPrefix(part[3], "@") && re != header() { // but for a header, a file
				return match
			}
			name := strings.TrimLeft(part[1], "-")
			if end != "" {
				name = "user information of the URL"
			}
			value := strings.Trim(strings.TrimSpace(part[3]), `"'`)
			all = append(all, found{name, value})
			return part[1] + part[2] + strings.Replace(part[3], strings.TrimSpace(value), Hidden, 1) + end
		})
	}
	hide(userinfo(), "@", func(string) bool { return true })
	hide(equals(), "", Name)
	hide(header(), "", Name)
	hide(colon(), "", Name)
	hide(flag(), "", Name)
	return text, all
}

// values are this command's secrets, in each form in which they may appear in an output.
var values struct {
	sync.RWMutex
	list [][]byte
}

// Learn finds the secrets on a command line. From then on Hide hides them.
func Learn(args []string) {
	values.Lock()
	defer values.Unlock()
	for i, arg := range args {
		if i > 0 && !strings.HasPrefix(arg, "-") && strings.HasPrefix(args[i-1], "-") && Name(args[i-1]) {
			add(arg)
		}
		_, all := mask(arg)
		for _, s := range all {
			for _, word := range append(strings.FieldsFunc(s.value, func(r rune) bool {
				return strings.ContainsRune(" :;,{}", r)
			}), s.value) {
				add(word)
				_, ofCookie, _ := strings.Cut(word, "=")
				add(strings.Trim(ofCookie, `"`))
			}
		}
	}
	slices.SortFunc(values.list, func(a, b []byte) int { return len(b) - len(a) })
}

// schemes precede the secret in an Authorization (RFC 9110, section 11.1).
var schemes = map[string]bool{"Basic": true, "Bearer": true, "Digest": true, "Token": true}

// add adds a value of at least 4 bytes.
func add(value string) {
	quoted, _ := json.Marshal(value)
	unescaped, _ := url.QueryUnescape(value)
	for _, form := range []string{value, string(quoted[1 : len(quoted)-1]), html.EscapeString(value), unescaped,
		url.QueryEscape(value)} {
		if b := []byte(form); len(b) >= 4 && !schemes[form] && !slices.ContainsFunc(values.list,
			func(o []byte) bool { return bytes.Equal(o, b) }) {
			values.list = append(values.list, b)
		}
	}
}

// Hide returns text with those learnt secrets replaced by Hidden that no other text is likely to have: long enough,
// and no plain word.
func Hide(text []byte) []byte { return replaced(text, false) }

// Received returns a text that a server sent, masked, and with all learnt secrets of at least 4 bytes replaced.
func Received(text string) string { return Mask(string(replaced([]byte(text), true))) }

func replaced(text []byte, all bool) []byte {
	values.RLock()
	defer values.RUnlock()
	for _, v := range values.list {
		digit := bytes.ContainsFunc(v, unicode.IsDigit)
		if all || len(v) >= 12 || len(v) >= 6 && digit {
			text = bytes.ReplaceAll(text, v, []byte(Hidden))
		}
	}
	return text
}
