package contestant

import (
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
// the program alone.
func spokenName(s Start) string {
	if strings.Join(s.Words, "") == "" {
		return ""
	}
	program := s.Words[s.Program]
	if !slices.Contains(runners, strings.TrimRight(filepath.Base(program), "0123456789.")) {
		return filepath.Base(program)
	}
	var runs []string
	for i, w := range s.Words[s.Program+1:] {
		switch {
		case slices.Contains(classPaths, s.Words[s.Program+i]):
		case slices.Contains(scripts, filepath.Ext(w)) && w[0] != '-':
			return filepath.Base(w)
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
		return filepath.Base(program)
	}
	return filepath.Base(program) + "-" + filepath.Base(runs[0])
}
