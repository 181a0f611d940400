package contestant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Command is the start command for a contestant that dyno does not build. It gets dyno's environment, and its
// port from PORT, DYNO_ADDR or PortMark.
type Command struct {
	Line      string     // command line for the shell
	Dir       string     // working directory, absolute
	Container *Container // run by podman or docker, instead of Line
}

// PortMark is replaced in a command line by the offered port.
const PortMark = "{port}"

// compiling maps runtimes that compile while they serve to languages in managed.
var compiling = map[string]string{
	"node": "javascript", "nodejs": "javascript", "npm": "javascript", "npx": "javascript", "yarn": "javascript",
	"pnpm": "javascript", "bun": "javascript", "deno": "javascript", "tsx": "typescript", "ts-node": "typescript",
	"java": "java", "gradle": "java", "gradlew": "java", "mvn": "java", "mvnw": "java", "jbang": "java",
	"kotlin": "kotlin", "scala": "scala", "sbt": "scala", "scala-cli": "scala", "dotnet": "csharp",
	"pypy": "python (pypy)", "pypy3": "python (pypy)", "ruby": "ruby", "bundle": "ruby", "rails": "ruby", "puma": "ruby",
	"rackup": "ruby", "julia": "julia",
}

// Program returns the name, without folder, of the program that the line starts; "" if the line is empty.
func (c *Command) Program() string {
	s := c.Start()
	if len(s.Words) == 0 {
		return ""
	}
	return filepath.Base(s.Words[s.Program])
}

// Language returns the program's language if it compiles while it serves, else "". For an image, whose
// program is unknown, it returns imageLanguage.
func (c *Command) Language() string {
	if c.Container != nil {
		return imageLanguage
	}
	return compiling[c.Program()]
}

// imageLanguage stands for the unknown language of an image, which may compile while it serves.
const imageLanguage = "image"

// argv returns the command to start, with the port in place of PortMark.
func (c *Command) argv(port int) []string {
	return []string{"/bin/sh", "-c", strings.ReplaceAll(c.Line, PortMark, fmt.Sprint(port))}
}

// files returns the program, unless it is found by PATH, and, if it is a runtime, the first file named after
// it on the line. Further files may be data.
func (c *Command) files() (files []string) {
	if c.Container != nil {
		return nil
	}
	s := c.Start()
	for i, w := range s.Words {
		if i < s.Program || i == s.Program && !strings.Contains(w, "/") {
			continue
		}
		path := under(c.Dir, under(s.Dir, w))
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			files = append(files, path)
			if i > s.Program || !filepath.IsAbs(w) {
				break
			}
		}
	}
	return files
}

// Commanded returns a contestant that m.Command starts.
func Commanded(m *Manifest) *Built {
	env := map[string]string{}
	for _, v := range os.Environ() {
		if key, value, ok := strings.Cut(v, "="); ok {
			env[key] = value
		}
	}
	return &Built{Manifest: m, Argv: m.Command.argv(0), Dir: m.Command.Dir, Env: env}
}

// command returns the command that starts b; nil if b was built.
func (b *Built) command() *Command {
	if b.Manifest == nil {
		return nil
	}
	return b.Manifest.Command
}

// identifyCommand returns the version of a known runtime, "unknown" for other programs, and sets Hash to a
// hash of the line's words, with files replaced by their content: equal hashes mean equal servers.
func (b *Built) identifyCommand() (version string, err error) {
	c := b.Manifest.Command
	if c.Container != nil {
		return b.Hash[:min(12, len(b.Hash))], nil
	}
	b.contents = contents{}
	sums := map[string]string{}
	for _, path := range c.files() {
		at, err := filepath.EvalSymlinks(path)
		if err == nil {
			sums[path], err = sha256File(at)
		}
		if err != nil {
			return "", &Failed{Stage: "build", Err: err}
		}
		b.contents[at] = sums[path]
	}
	h, s := sha256.New(), c.Start()
	for _, w := range append([]string{b.Sources, s.Dir}, s.Words...) {
		if sum := sums[under(c.Dir, under(s.Dir, w))]; sum != "" {
			w = sum
		}
		fmt.Fprintf(h, "%d %s\n", len(w), w)
	}
	b.Hash = hex.EncodeToString(h.Sum(nil))
	if knownServices[b.tc.Name].title != "" {
		return b.tc.Version, nil
	}
	if c.Language() == "" && !strings.HasPrefix(c.Program(), "python") {
		return "unknown", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if version, err := programVersion(ctx, s.Words[s.Program]); err == nil {
		return version, nil
	}
	return "unknown", nil
}
