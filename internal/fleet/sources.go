package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/scenario"
)

// sourcesOf returns an archive with the contestants' sources, and the scenarios, and the contestants for it.
func sourcesOf(o bench.LocalOptions, names []string) (archive *os.File, all []contestant.Manifest, err error) {
	archive, err = filled(func(work string) error {
		from := os.DirFS(filepath.Join(o.Root, scenario.Folder))
		if err := os.CopyFS(filepath.Join(work, scenario.Folder), from); err != nil {
			return fmt.Errorf("send the scenarios: %w", err)
		}
		for _, m := range o.Manifests {
			if !slices.Contains(names, m.Name) {
				continue
			}
			if m.Command != nil || m.URL != nil {
				return conf.Usagef("%s: on several machines contestants are built from their sources; name a contestant, a "+
					"folder or a revision with a contestant.toml; or pass URLs alone", m.Name)
			}
			root := fmt.Sprint(len(all) + 1)
			own, err := m.Copy(o.Root, filepath.Join(work, root))
			if err != nil {
				return fmt.Errorf("send the sources of %s: %w", m.Name, err)
			}
			own.Root = root
			all = append(all, *own)
		}
		return nil
	})
	return archive, all, err
}

// filled returns the archive of a folder that fill fills.
func filled(fill func(folder string) error) (archive *os.File, err error) {
	work, err := machine.MkdirTemp("", "dyno-sources-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(work)) }()
	if err := fill(work); err != nil {
		return nil, err
	}
	return archived(os.DirFS(work))
}

// sources unpacks a run's sources into a folder, which builders may write to, and returns the contestants for
// that folder.
func (s *session) sources(q *Hosting, folder string) (all []*contestant.Manifest, err error) {
	for _, m := range q.Contestants {
		if m.Command != nil || m.URL != nil || !filepath.IsLocal(m.Root) || !filepath.IsLocal(m.Path) {
			return nil, unfit{fmt.Errorf("the contestant %q is not built from the run's sources", m.Name)}
		}
		m.Root = filepath.Join(folder, m.Root)
		all = append(all, &m)
	}
	return all, s.unpacked(folder)
}
