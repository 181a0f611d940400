package fleet

import (
	"context"
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

// sourcesOf puts the contestants' sources, and the scenarios, into a tree for the servers' machine. It
// returns the tree's name, and the contestants for that tree.
func (h *Hub) sourcesOf(ctx context.Context, o bench.LocalOptions, names []string, machine string) (tree string,
	all []contestant.Manifest, err error) {
	tree, err = h.putFilled(ctx, machine, func(work string) error {
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
	return tree, all, err
}

// serviceOf puts a service's sources into a tree for the machine that starts it, and returns the tree's name.
func (h *Hub) serviceOf(ctx context.Context, o bench.LocalOptions, machine string) (tree string, err error) {
	m, err := contestant.ReadService(o.FS, o.Services[0].Name)
	if err != nil {
		return "", err
	}
	return h.putFilled(ctx, machine, func(work string) error {
		if _, err := m.Copy(o.Root, work); err != nil {
			return fmt.Errorf("send the sources of the service %s: %w", m.Name, err)
		}
		return nil
	})
}

// putFilled sends an agent a folder that fill fills, and returns the tree's name.
func (h *Hub) putFilled(ctx context.Context, agent string, fill func(folder string) error) (tree string, err error) {
	work, err := machine.MkdirTemp("", "dyno-sources-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(work)) }()
	if err := fill(work); err != nil {
		return "", err
	}
	return h.Put(ctx, os.DirFS(work), agent)
}

// sources fetches a run's sources into a folder, which builders may write to, and returns the contestants for
// that folder.
func (s *session) sources(ctx context.Context, q *Hosting, folder string) (all []*contestant.Manifest, err error) {
	for _, m := range q.Contestants {
		if m.Command != nil || m.URL != nil || !filepath.IsLocal(m.Root) || !filepath.IsLocal(m.Path) {
			return nil, unfit{fmt.Errorf("the contestant %q is not built from the run's sources", m.Name)}
		}
		m.Root = filepath.Join(folder, m.Root)
		all = append(all, &m)
	}
	return all, s.tree(ctx, q.Sources, folder)
}
