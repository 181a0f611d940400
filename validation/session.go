package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/foreign"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// askedStudy is the default study in dyno run; the experiments use its scenario and level.
const askedStudy = "iris-vs-netcore-mvc"

// session holds the machine lock and describes a checkout.
type session struct {
	self           string // this program; it also serves as reference server and hog
	root           string
	fsys           fs.FS // of root
	manifests      []*contestant.Manifest
	stdout, stderr io.Writer
}

// newSession waits until no other run measures on this machine, and then prevents others until release is
// called. Processes started in a session do not outlive it.
func newSession(ctx context.Context, name string, stdout, stderr io.Writer) (s *session, release func(), err error) {
	s = &session{stdout: stdout, stderr: stderr}
	if s.self, err = os.Executable(); err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	found, err := contestant.FindProject()
	if err != nil {
		return nil, nil, err
	}
	s.root, s.fsys = found.Root, foreign.FS(found.Root)
	if s.manifests, err = contestant.List(s.fsys); err != nil {
		return nil, nil, err
	}
	me := machine.Holder{Pid: os.Getpid(), Command: "validation " + name, SinceUnixNS: time.Now().UnixNano()}
	lock, err := machine.LockMachine(ctx, me, func(h machine.Holder) {
		fmt.Fprintln(stderr, "waiting for another run to end:", h.String())
	})
	if err != nil {
		return nil, nil, err
	}
	k, err := machine.Keep(machine.KeepOptions{Program: s.self, Argv: []string{"validation", "supervise"}, Env: []string{}})
	if err != nil {
		lock.Release()
		return nil, nil, err
	}
	return s, func() {
		if err := k.Close(); err != nil {
			fmt.Fprintln(stderr, "validation:", err)
		}
		lock.Release()
	}, nil
}

// plan plans a run with askedStudy's level and scenario, recorded in a folder below dir.
func (s *session) plan(ctx context.Context, r plan.Request, dir string) (*bench.Experiment, error) {
	st, err := study.Read(s.fsys, askedStudy)
	if err != nil {
		return nil, err
	}
	r.Question = st.Ask(study.Choice{})
	return bench.New(ctx, r, plan.World{Now: time.Now(), Contestant: s.facts}, bench.Setup{
		Root: s.root, FS: s.fsys, Manifests: s.manifests, Folder: filepath.Join(dir, "run"), Offline: true,
		Scenario: func(name string) (*scenario.Scenario, error) { return scenario.Read(s.fsys, name) },
	})
}

// facts returns the facts that a plan needs about a contestant or a reference server.
func (s *session) facts(name string) (plan.Contestant, error) {
	if _, ok, err := refserver.ParseControl(name); ok || err != nil {
		return plan.Contestant{}, err
	}
	m, err := s.manifest(name)
	if err != nil {
		return plan.Contestant{}, err
	}
	return plan.Contestant{Managed: m.Managed(), Scenarios: m.Scenarios, Protocols: m.Protocols, CPUs: m.CPUs}, nil
}

func (s *session) manifest(name string) (*contestant.Manifest, error) {
	for _, m := range s.manifests {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no contestant %q in %s", name, s.root)
}

// startHog starts background load on the CPUs that the bench will use. The load is a separate program, so
// that the bench counts it as background CPU.
func (s *session) startHog(dir string, seed uint64) (stop func() error, err error) {
	h := machine.Describe()
	argv := []string{s.self, "hog", fmt.Sprint(seed)}
	for _, cpu := range append(h.ServerCPUs, h.GeneratorCPUs...) {
		argv = append(argv, fmt.Sprint(cpu))
	}
	p, err := machine.Start(machine.Command{Argv: argv, Dir: dir, Env: machine.Environment(dir, dir, 0, nil),
		Log: filepath.Join(dir, "hog.log")})
	if err != nil {
		return nil, fmt.Errorf("start the background load: %w", err)
	}
	return func() error {
		select {
		case <-p.Done():
			return errors.Join(fmt.Errorf(
				"the background load ended early: %v: %s", p.Err(), strings.Join(p.LogTail(5), "; ")), p.Stop(0))
		default:
			return p.Stop(time.Second)
		}
	}, nil
}

// commit returns the checkout's commit, with a "+" if tracked files other than file are modified; "" if
// unknown. Results are appended to file.
func (s *session) commit(ctx context.Context, file string) string {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", s.root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	commit = commit[:min(12, len(commit))]
	// All files of this name are left out, so that the path may be outside the checkout.
	changed, err := git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude,glob)**/"+
		filepath.Base(file))
	if err != nil || changed != "" {
		commit += "+"
	}
	return commit
}
