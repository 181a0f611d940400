package contestant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const nodeHint = "install Node.js with npm, by the system's packages (nodejs and npm) or from " +
	"https://nodejs.org, and put it on PATH, or set DYNO_NODE to its folder"

// nodeEnv passes npm the user's home, with its settings and cache, and the variables for reaching the
// registry.
func nodeEnv(dir, cache string) map[string]string {
	env := otherEnv(dir, cache)
	for _, set := range os.Environ() {
		name, value, _ := strings.Cut(set, "=")
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "npm_config_") || name == "NODE_EXTRA_CA_CERTS" ||
			slices.Contains([]string{"http_proxy", "https_proxy", "no_proxy"}, lower) {
			env[name] = value
		}
	}
	return env
}

// withoutNPM returns an *Unavailable if m is built with npm, and npm is neither next to node nor on PATH.
func withoutNPM(m *Manifest, tc Toolchain) error {
	if !slices.ContainsFunc(m.Build, func(arg string) bool { return slices.Contains(strings.Fields(arg), "npm") }) ||
		isFile(filepath.Join(filepath.Dir(tc.Program), "npm")) {
		return nil
	}
	if _, err := exec.LookPath("npm"); err == nil {
		return nil
	}
	return &Unavailable{Toolchain: "npm", Reason: "Node.js " + tc.Version + " is here, npm is not", Hint: nodeHint}
}

// identifyNode reads the version of the installed package that the manifest names as framework; if there is
// none, Node.js is the framework.
func (b *Built) identifyNode() (string, error) {
	version, err := b.identifyOther()
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.Out, "node_modules", filepath.FromSlash(b.Manifest.Framework), "package.json")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return version, nil
	}
	var installed struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(text, &installed)
	}
	if err != nil {
		return "", fmt.Errorf("read the version of the installed package: %w", err)
	}
	return installed.Version, nil
}
