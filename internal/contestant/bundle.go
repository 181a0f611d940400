package contestant

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"dyno/internal/conf"

	"dyno/internal/scenario"
)

// Embedded contestants, scenarios and studies are unpacked into the cache under a hash of their contents. A damaged
// copy is replaced.

// Variable is the environment variable with the path of a checkout, for use outside the checkout.
const Variable = "DYNO_PROJECT"

// Project is a folder with contestants, scenarios and studies.
type Project struct {
	Root    string // absolute path
	Carried bool   // unpacked from this program instead of a checkout; read-only
	Inside  bool   // the working directory is in it
}

// FindProject returns the checkout at or above the folder in DYNO_PROJECT, or at or above the working directory.
// Without either it returns the embedded project.
func FindProject() (Project, error) {
	here, err := filepath.Abs("")
	if err != nil {
		return Project{}, err
	}
	named := os.Getenv(Variable)
	dir, err := filepath.Abs(named)
	if err != nil {
		return Project{}, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if IsDir(filepath.Join(at, Folder)) && IsDir(filepath.Join(at, scenario.Folder)) {
			rel, err := filepath.Rel(at, here)
			return Project{Root: at, Inside: err == nil && filepath.IsLocal(rel)}, nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if named != "" {
		return Project{}, conf.Usagef("%s=%s: no folders %s/ and %s/ there or above; set it to a checkout of dyno, "+
			"or unset it to use the files built into dyno", Variable, named, Folder, scenario.Folder)
	}
	root, err := carried()
	if err != nil {
		return Project{}, fmt.Errorf("unpack the contestants built into dyno: %w", err)
	}
	return Project{Root: root, Carried: true}, nil
}

// carried returns the cache folder with the archive's files.
func carried() (string, error) {
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	root := filepath.Join(cache, "project", fmt.Sprintf("%.8x", sha256.Sum256(archive)))
	return root, Keep(root, nil, func(dir string) error { return unpackArchive(archive, dir) })
}

// Runs returns the folder for recorded runs: runs/ if the working directory is in the project or the user's
// state folder is unknown, else a folder in that.
func (p Project) Runs() string {
	home, err := os.UserHomeDir()
	state := filepath.Join(home, ".local", "state")
	if named := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(named) { // relative paths must be ignored
		state, err = named, nil
	}
	if p.Inside || err != nil {
		return "runs"
	}
	return filepath.Join(state, "dyno", "runs")
}
