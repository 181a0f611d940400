package contestant

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// runners are programs that run another program, whose name says more than theirs.
	runners = []string{"node", "nodejs", "bun", "deno", "tsx", "ts-node", "npm", "npx", "yarn", "pnpm", "python", "pypy",
		"poetry", "pipenv", "uv", "ruby", "bundle", "php", "perl", "lua", "luajit", "java", "gradle", "gradlew", "mvn",
		"mvnw", "jbang", "kotlin", "scala", "sbt", "clojure", "julia", "elixir", "mix", "escript", "dotnet", "go", "cargo",
		"swift", "zig", "make", "sh", "bash", "docker", "podman"}
	// scripts lists the file extensions that runners run.
	scripts = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".pyc", ".pyz", ".rb", ".ru",
		".php", ".pl", ".lua", ".jar", ".war", ".kts", ".scala", ".clj", ".jl", ".exs", ".dll", ".go", ".sh"}
	// classPaths are Java's options whose value names no program.
	classPaths = []string{"-cp", "-classpath", "--class-path", "-p", "--module-path"}
	// addressLike matches ports, addresses and the like.
	addressLike = regexp.MustCompile(`^[0-9.:/]+$`)
)

// spokenName returns a command's short name: a runner's script; a runner and its subcommand or module; or
// the program alone. file is the name's last word, with its folder.
func spokenName(s Start) (runner []string, file string) {
	if len(s.Words) == 0 {
		return nil, ""
	}
	program := s.Words[s.Program]
	if !slices.Contains(runners, strings.TrimRight(filepath.Base(program), "0123456789.")) {
		return nil, program
	}
	var runs []string
	for i, w := range s.Words[s.Program+1:] {
		switch {
		case slices.Contains(classPaths, s.Words[s.Program+i]):
		case slices.Contains(scripts, filepath.Ext(w)) && w[0] != '-':
			return nil, w
		case w == "" || w[0] == '-' || strings.Contains(w, PortMark) || strings.Contains(w, "=") ||
			addressLike.MatchString(w):
		default:
			runs = append(runs, w)
		}
	}
	if len(runs) > 1 && (runs[0] == "run" || runs[0] == "exec") {
		runs = runs[1:]
	}
	if len(runs) == 0 {
		return nil, program
	}
	return []string{filepath.Base(program)}, runs[0]
}

// commandName returns a name for the command s, one of sides. A larger length adds folders to the file, if a
// namesake has another file, and words that some namesake lacks.
func (s *Side) commandName(length int, sides []*Side) string {
	start := s.command.Start()
	name, file := spokenName(start)
	file = path.Join(filepath.ToSlash(start.Dir), file)
	parts := strings.Split(file, "/")
	if length == 0 {
		return clipped(strings.Join(append(name, parts[len(parts)-1]), "-"))
	}
	var others []Start // namesakes
	apart := false
	for _, o := range sides {
		if o.Kind != CommandSide || o.Text == s.Text || o.commandName(0, nil) != s.commandName(0, nil) {
			continue
		}
		other := o.command.Start()
		_, f := spokenName(other)
		others, apart = append(others, other), apart || path.Join(filepath.ToSlash(other.Dir), f) != file
	}
	from := len(parts) - 1
	if apart {
		from = max(0, from-length)
	}
	name = append(name, strings.Join(parts[from:], "/"))
	return clipped(strings.Join(append(name, extra(start, others, length)...), "-"))
}

// loose returns a command with the parts of quoted words as words: daemon off; is two.
func loose(s Start) Start {
	_, file := spokenName(s)
	var words []string
	for i, w := range s.Words {
		if i == s.Program {
			s.Program = len(words)
		}
		if w == file || strings.Contains(w, PortMark) {
			words = append(words, w)
		} else {
			words = append(words, strings.FieldsFunc(w, unspoken)...)
		}
	}
	s.Words = words
	return s
}

// extra returns the first words that one of the others lacks, each with the option before it, if it is an
// option's value.
func extra(s Start, others []Start, most int) (words []string) {
	_, file := spokenName(s)
	s = loose(s)
	for i, w := range s.Words {
		lacking := slices.ContainsFunc(others, func(o Start) bool { return !slices.Contains(loose(o).Words, w) })
		if !lacking || w == file || strings.Trim(w, "-") == "" || strings.Contains(w, PortMark) {
			continue
		}
		if i > s.Program+1 && strings.HasPrefix(s.Words[i-1], "-") && !strings.HasPrefix(w, "-") {
			option := strings.TrimLeft(s.Words[i-1], "-")
			w = option + "-" + w
			if n := len(words); n > 0 && words[n-1] == option {
				words = words[:n-1]
			}
		}
		if len(words) < most {
			words = append(words, strings.TrimLeft(w, "-"))
		}
	}
	return words
}
