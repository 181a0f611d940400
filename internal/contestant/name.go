package contestant

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// nameLength is the largest number of runes in a name.
const nameLength = 24

// name names each side: by --name, else the shortest candidate that no other side has, else with a number at
// the end.
func (o *SideOptions) name(sides []*Side) error {
	if len(o.Names) > len(sides) {
		return conf.Usagef("--name: %d names for %d sides", len(o.Names), len(sides))
	}
	for i, n := range o.Names {
		switch {
		case n == "" || strings.ContainsAny(n, " \t\n,") || len([]rune(n)) > nameLength:
			return conf.Usagef("--name %q: want 1 to %d characters, without spaces and commas", n, nameLength)
		case o.taken(n):
			return conf.Usagef("--name %s: a reference server has this name; choose another", n)
		case slices.ContainsFunc(o.Names[:i], func(other string) bool { return sameName(other, n) }):
			return conf.Usagef("--name %s: two sides cannot have the same name; choose another", n)
		}
		sides[i].Name = n
	}
	rest := sides[len(o.Names):]
	for _, s := range rest {
		s.Name = s.candidate(0, rest)
	}
	for length := 1; length < candidates; length++ {
		shared := slices.DeleteFunc(slices.Clone(rest), func(s *Side) bool {
			return !slices.ContainsFunc(sides, func(o *Side) bool { return sameName(o.Name, s.Name) && o.Text != s.Text })
		})
		for _, s := range shared {
			s.Name = s.candidate(length, rest)
		}
	}
	for i, s := range rest {
		first := s.Name
		named := func(o *Side) bool { return sameName(o.Name, s.Name) }
		for n := 2; o.taken(s.Name) || slices.ContainsFunc(sides[:len(o.Names)+i], named); n++ {
			s.Name = fmt.Sprintf("%s-%d", first, n)
		}
	}
	return nil
}

func (o *SideOptions) taken(name string) bool { return o.Taken != nil && o.Taken(name) }

// candidates is the number of names tried per side; each adds a command's words or a path's folders.
const candidates = 4

// candidate returns a name for s, one of sides; a larger length gives a longer name.
func (s *Side) candidate(length int, sides []*Side) string {
	path := s.Text
	switch s.Kind {
	case CommandSide:
		return s.commandName(length, sides)
	case Contestant:
		return s.Text
	case RevisionSide:
		return clipped(strings.TrimPrefix(strings.TrimPrefix(s.Text, "refs/heads/"), "refs/tags/"))
	case URL:
		parts := strings.SplitAfter(s.target.Host+s.target.Path, "/")
		return clipped(strings.Trim(strings.Join(parts[:min(1+length, len(parts))], ""), "/"))
	case Image:
		path = strings.TrimPrefix(s.Text, imagePrefix)
		if _, service, ok := strings.Cut(path, "#"); ok {
			path = service
		}
	default:
		if s.label == workingTree {
			return "working-tree"
		}
		if absolute, err := filepath.Abs(path); err == nil {
			path = filepath.ToSlash(absolute)
		}
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return clipped(strings.Join(parts[max(0, len(parts)-1-length):], "/"))
}

// clipped returns a name without spaces, punctuation and leading dashes, which would make it a flag. Long names
// keep the end, which is more specific than the beginning.
func clipped(name string) string {
	runes := []rune(strings.TrimLeft(strings.Join(strings.FieldsFunc(name, unspoken), "-"), "-"))
	switch {
	case len(runes) == 0:
		return "side"
	case len(runes) <= nameLength:
		return string(runes)
	}
	end := runes[len(runes)-nameLength+1:]
	if i := slices.IndexFunc(end, func(r rune) bool { return strings.ContainsRune("-/", r) }); i >= 0 && i < len(end)/2 {
		end = end[i+1:] // begin with a whole word
	}
	return "…" + string(end)
}

// unspoken reports whether no name has this character.
func unspoken(r rune) bool { return strings.ContainsRune(" \t\n,;\"'`()<>|&*?!\\", r) }

// sameName reports whether two names are equal, or would give the same file name.
func sameName(a, b string) bool {
	safe := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}
	return strings.Map(safe, a) == strings.Map(safe, b)
}

// shortened returns a path shortened for a title. It keeps the end, which is more specific. A last element
// equal to known is left out.
func shortened(path, known string) string {
	path = filepath.Clean(path)
	if filepath.Base(path) == known && filepath.Dir(path) != "." {
		path = filepath.Dir(path)
	}
	path = filepath.ToSlash(path)
	runes := []rune(path)
	if len(runes) <= 20 {
		return path
	}
	end := runes[len(runes)-19:]
	if i := slices.Index(end, '/'); i >= 0 { // begin with a whole folder name
		end = end[i:]
	}
	return "…" + string(end)
}
