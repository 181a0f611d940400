package contestant

import (
	"path/filepath"
	"slices"
	"unicode"

	"dyno/internal/lazy"
)

// Start is what a command line starts, as far as its words say: only the shell knows what they
// expand to.
type Start struct {
	Dir     string   // to which a cd before it leads, as written; "": none does
	Words   []string // of the line's last command, without quotes
	Program int      // index of the word that names the program
}

// Start returns what the line starts: its last command, of a pipeline the first, and of `sh -c`
// that shell's.
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

// under returns a path that is relative to dir, unless it is absolute.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// commands splits a line into its commands, and each into its words, without quotes. It leaves out
// what a pipeline or an || goes on with.
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
	// wrappers are commands that start another one, whose name follows their options.
	wrappers = []string{"exec", "env", "nice", "time", "nohup", "setsid", "stdbuf", "taskset", "numactl", "timeout"}
	// assignment is a variable of the environment and its value.
	assignment = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*=`)
	// ofWrapper is an option of one of wrappers, or the value of one: -n 5, -c 0-3, 60s.
	ofWrapper = lazy.Regexp(`^(-.*|[0-9][-0-9.,]*[smhd]?)$`)
)

// program returns the index of the word that names the program: the first that is neither an
// assignment nor a command that starts another, with its options.
func program(words []string) int {
	for i, w := range words {
		if !assignment().MatchString(w) && !slices.Contains(wrappers, filepath.Base(w)) && !ofWrapper().MatchString(w) {
			return i
		}
	}
	return 0
}
