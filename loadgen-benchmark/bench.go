//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dyno/internal/refserver"
)

// CPUs for the server and the generator.
const (
	serverCPU    = "0"
	generatorCPU = "1"
)

const openFiles = 65_536 // enough for 10,000 connections on both sides

// rig is the shared state of all measurements.
type rig struct {
	opts    options
	kept    *results
	root    string // the checkout's folder
	temp    string
	cache   string // folder with built peers
	dyno    string
	commit  string
	log     io.Writer
	have    map[string]installed
	servers map[int]bool // pids of running servers
}

type installed struct {
	program, version string
	relinked         []string // the program in different layouts, if any: a race takes turns
	err              error
}

// linked returns the program for a round, from 0, and the number of its layout.
func (i installed) linked(round int) (program string, layout int) {
	if len(i.relinked) == 0 {
		return i.program, 0
	}
	layout = round % len(i.relinked)
	return i.relinked[layout], layout + 1
}

func openBench(ctx context.Context, root string, o options, kept *results, log io.Writer) (*rig, error) {
	b := &rig{opts: o, kept: kept, root: root, log: log, have: map[string]installed{}, servers: map[int]bool{},
		dyno: o.dyno}
	if err := raiseOpenFiles(); err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	b.cache = filepath.Join(cache, "dyno", "peers")
	if b.temp, err = os.MkdirTemp("", "dyno-peers-"); err != nil {
		return nil, err
	}
	b.commit = commit(ctx, root, o)
	if b.dyno == "" {
		b.dyno = filepath.Join(b.temp, "dyno")
		if err := b.step(ctx, root, "go", "build", "-buildvcs=false", "-o", b.dyno, "./cmd/dyno"); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

// commit returns the checkout's commit. The files that a measurement writes do not make it dirty.
func commit(ctx context.Context, root string, o options) string {
	git := func(args ...string) string {
		out, _ := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out))
	}
	name := git("rev-parse", "--short=12", "HEAD")
	if git("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)"+o.out, ":(exclude)"+o.results) != "" {
		name += "-dirty"
	}
	return name
}

func (b *rig) close() { os.RemoveAll(b.temp) }

// raiseOpenFiles raises this process's limit for open files. Children inherit a limit that was set
// explicitly. Only root may exceed the hard limit.
func raiseOpenFiles() error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	more := syscall.Rlimit{Cur: max(l.Max, openFiles), Max: max(l.Max, openFiles)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) == nil {
		return nil
	}
	l.Cur = l.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("raise the limit of open files to %d: %w", l.Max, err)
	}
	return nil
}

// install prepares p, once.
func (b *rig) install(ctx context.Context, p peer) installed {
	i, ok := b.have[p.name]
	if !ok {
		if i.program, i.version, i.err = p.install(ctx, b); i.err == nil && p.source != nil {
			i.relinked, i.err = b.relink(ctx, p)
		}
		if i.err != nil {
			i.err = fmt.Errorf("install %s: %w", p.name, i.err)
		}
		b.have[p.name] = i
	}
	return i
}

// server is a server on the server's CPU: a reference server, nginx, or a timed or flawed server.
type server struct {
	addr   string
	scheme string
	count  func() (refserver.Tally, error) // reads the server's count; nil: the server prints it at the end
	b      *rig
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// serve starts a reference server and returns when it listens. scenario is a file; it may be empty.
func (b *rig) serve(ctx context.Context, name, scenario string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	argv := []string{b.dyno, "refserver", name, "--addr", addr}
	if scenario != "" {
		argv = append(argv, "--scenario", scenario)
	}
	return b.start(ctx, name, addr, argv...)
}

// start starts a server and returns when it listens at addr.
func (b *rig) start(ctx context.Context, name, addr string, argv ...string) (*server, error) {
	argv = append([]string{"-c", serverCPU}, argv...)
	s := &server{addr: addr, scheme: "http", b: b, cmd: exec.CommandContext(ctx, "taskset", argv...)}
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	b.servers[s.cmd.Process.Pid] = true
	for range 500 {
		if c, err := net.Dial("tcp", addr); err == nil {
			return s, c.Close()
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	_, err := s.stop()
	return nil, fmt.Errorf("the server %s does not listen at %s: %w\n%s", name, addr, errors.Join(ctx.Err(), err),
		tail(s.stderr.Bytes()))
}

func (s *server) url() string { return s.scheme + "://" + s.addr + "/" }

// stop ends the server and returns its count. Any further stop returns an error.
func (s *server) stop() (t refserver.Tally, err error) {
	if s.count == nil {
		return t, s.end(&t)
	}
	t, err = s.count()
	return t, errors.Join(s.end(nil), err)
}

// end ends the server and parses its final output into tally, unless tally is nil.
func (s *server) end(tally any) error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := s.cmd.Wait()
	delete(s.b.servers, s.cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("stop the server: %w\n%s", err, tail(s.stderr.Bytes()))
	}
	if tally == nil {
		return nil
	}
	if err := json.Unmarshal(s.stderr.Bytes(), tally); err != nil {
		return fmt.Errorf("the server's tally: %w\n%s", err, tail(s.stderr.Bytes()))
	}
	return nil
}

// freeAddr returns an unused address.
func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// generate runs a load generator on its CPU, for at most the window and a minute. watch, if not nil, gets the
// generator's pid and must return when done is closed. cpu is the whole process's CPU time.
func (b *rig) generate(
	ctx context.Context, window time.Duration, argv []string, watch func(pid int, done <-chan struct{}),
) (stdout []byte, cpu time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, window+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", generatorCPU}, argv...)...)
	cmd.Dir = b.root
	var out, trouble bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &trouble
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if watch != nil {
			watch(cmd.Process.Pid, done)
		}
	}()
	err = cmd.Wait()
	close(done)
	<-watched
	if err != nil {
		said := trouble.Bytes()
		if len(said) == 0 {
			said = out.Bytes()
		}
		return nil, 0, fmt.Errorf("run %s: %w\n%s", filepath.Base(argv[0]), err, tail(said))
	}
	return out.Bytes(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// load runs `dyno load` against s. It accepts errors in the load, which the caller checks.
func (b *rig) load(
	ctx context.Context, s *server, window time.Duration, watch func(int, <-chan struct{}), args ...string,
) (*loadReport, error) {
	return b.loadURL(ctx, s.url(), window, watch, args...)
}

// loadURL does the same as load, for a URL.
func (b *rig) loadURL(
	ctx context.Context, url string, window time.Duration, watch func(int, <-chan struct{}), args ...string,
) (*loadReport, error) {
	argv := []string{b.dyno, "load", "--quiet", "--format", "json", "--threads", "1", "--slo", "errors<100%", "-d", window.String()}
	argv = append(argv, args...)
	out, _, err := b.generate(ctx, window, append(argv, url), watch)
	if err != nil {
		return nil, err
	}
	return parseLoad(out)
}
