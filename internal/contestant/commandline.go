package contestant

import (
	"path/filepath"
	"slices"
	"unicode"

	"dyno/internal/conf"
)

// Start describes what a command line starts, as far as its words tell: only the shell knows how they expand.
type Start struct {
	Dir     string   // target of a preceding cd, as written; "" if there is none
	Words   []string // the started command, without quotes
	Program int      // index of the program's name in Words
}

// Start returns the line's last command; in a pipeline the first, and for `sh -c` the inner shell's.
func (c *Command) Start() (s Start) {
	for _, words := range commands(c.Line) {
		s.Words, s.Program = words, program(words)
		if words[0] == "cd" && len(words) == 2 {
			s.Dir = under(s.Dir, words[1])
		}
	}
	if w := s.Words[min(s.Program, len(s.Words)):]; len(w) > 2 && w[1] == "-c" &&
		slices.Contains([]string{"sh", "bash", "dash", "zsh"}, filepath.Base(w[0])) {
		dir := s.Dir
		s = (&Command{Line: w[2]}).Start()
		s.Dir = under(dir, s.Dir)
	}
	return s
}

// under joins dir and path, unless path is absolute.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// commands splits a line into commands, and each into words without quotes. In a pipeline or a list with ||
// it keeps the first command.
func commands(line string) (all [][]string) {
	var words []string
	var word []rune
	var quote rune
	begun, behind := false, false // a word, which may be empty; a pipe
	endWord := func() {
		if begun && !behind {
			words = append(words, string(word))
		}
		word, begun = nil, false
	}
	endCommand := func() {
		if endWord(); len(words) > 0 {
			all = append(all, words)
		}
		words, behind = nil, false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			word, begun = append(word, runes[i]), true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case r == '|':
			endWord()
			behind = true
		case r == ';', r == '\n', r == '&' && (len(word) == 0 || word[len(word)-1] != '>'): // but 2>&1
			endCommand()
		case unicode.IsSpace(r):
			endWord()
		default:
			word, begun = append(word, r), true
		}
	}
	endCommand()
	return all
}

var (
	// wrappers are commands that start another command, named after their options.
	wrappers = []string{"exec", "env", "nice", "time", "nohup", "setsid", "stdbuf", "taskset", "numactl", "timeout"}
	// assignment matches an assignment to an environment variable.
	assignment = conf.Regexp(`^[A-Za-z_][A-Za-z0-9_]*=`)
	// wrapperOption matches an option for one of wrappers, or an option's value: -n 5, -c 0-3, 60s.
	wrapperOption = conf.Regexp(`^(-.*|[0-9][-0-9.,]*[smhd]?)$`)
)

// program returns the index of the program's name: the first word that is neither an assignment nor a wrapper
// with its options.
func program(words []string) int {
	for i, w := range words {
		if !assignment().MatchString(w) && !slices.Contains(wrappers, filepath.Base(w)) && !wrapperOption().MatchString(w) {
			return i
		}
	}
	return 0
}
