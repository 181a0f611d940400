package contestant

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// nameLength is the largest number of runes in a name.
const nameLength = 24

// name names each side: by --name, else as it is called for short, with what namesakes lack, and at last with a
// number at the end.
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
	short := map[*Side]string{}
	for _, s := range rest {
		short[s] = s.shortName()
	}
	for i, s := range rest {
		namesakes := slices.DeleteFunc(slices.Clone(rest), func(o *Side) bool {
			return o.Text == s.Text || !sameName(short[o], short[s])
		})
		s.Name = clipped(s.longer(short[s], namesakes))
		first := s.Name
		named := func(o *Side) bool { return sameName(o.Name, s.Name) }
		for n := 2; o.taken(s.Name) || slices.ContainsFunc(sides[:len(o.Names)+i], named); n++ {
			s.Name = fmt.Sprintf("%s-%d", first, n)
		}
	}
	return nil
}

func (o *SideOptions) taken(name string) bool { return o.Taken != nil && o.Taken(name) }

// shortName returns a name for s, which others may have as well.
func (s *Side) shortName() string {
	switch s.Kind {
	case CommandSide:
		return clipped(spokenName(s.command.Start()))
	case RevisionSide:
		return clipped(strings.TrimPrefix(strings.TrimPrefix(s.Text, "refs/heads/"), "refs/tags/"))
	case URL:
		return s.target.Host
	case Image:
		_, service, _ := strings.Cut(s.Text, "#")
		return clipped(path.Base(cmp.Or(service, strings.TrimPrefix(s.Text, imagePrefix))))
	case FolderSide:
		if s.label == workingTree {
			return "working-tree"
		}
		if absolute, err := filepath.Abs(s.Text); err == nil {
			return clipped(filepath.Base(absolute))
		}
	}
	return s.Text
}

// longer adds to a name the words of s that one of its namesakes lacks. A path that ends in the name replaces it by the
// shortest ending that they lack.
func (s *Side) longer(name string, namesakes []*Side) string {
	for _, w := range s.words() {
		lacking := slices.ContainsFunc(namesakes, func(o *Side) bool { return !slices.Contains(o.words(), w) })
		switch w = strings.TrimPrefix(strings.TrimLeft(w, "-"), "./"); {
		case !lacking || w == "" || strings.Contains(w, PortMark):
		case strings.HasPrefix(w, name):
			name = strings.Trim(w, "/")
		case strings.HasSuffix(strings.TrimRight(w, "/"), name):
			name = ending(strings.Split(strings.Trim(w, "/"), "/"), namesakes)
		default:
			name += "-" + w
		}
	}
	return name
}

// ending returns the shortest end of a path that no word of the namesakes has; all of the path if each has one.
func ending(path []string, namesakes []*Side) string {
	for i := len(path) - 1; i > 0; i-- {
		end := "/" + strings.Join(path[i:], "/")
		if !slices.ContainsFunc(namesakes, func(o *Side) bool {
			return slices.ContainsFunc(o.words(), func(w string) bool {
				return strings.HasSuffix("/"+strings.TrimRight(w, "/"), end)
			})
		}) {
			return end[1:]
		}
	}
	return strings.Join(path, "/")
}

// words returns the words of what s was given as.
func (s *Side) words() []string {
	switch s.Kind {
	case URL:
		return []string{s.target.Host + s.target.Path}
	case RevisionSide:
		return nil
	}
	return strings.FieldsFunc(strings.TrimPrefix(s.Text, imagePrefix), unspoken)
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
