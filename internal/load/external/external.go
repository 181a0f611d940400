// Package external lets another load generator make a load, and reads what it says of it. Its
// figures are its own: what it counts, and how, differs from tool to tool; what it does not tell
// stays unknown.
package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/internal/load"
	"dyno/internal/proc"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// Names are the tools that are known.
func Names() []string { return []string{"wrk", "bombardier", "ab", "h2load"} }

// Tool is an external load generator that is installed here.
type Tool struct {
	Name    string
	Version string // as it prints it
	program string // absolute
	kind    kind
}

// Missing is the error of a tool that is not installed.
type Missing struct{ Name, Hint string }

func (m *Missing) Error() string { return fmt.Sprintf("no program %s on PATH; %s", m.Name, m.Hint) }

// Find looks for the tool of that name on PATH. The error is a *Missing, or says that there is no
// such tool or that it does not run.
func Find(ctx context.Context, name string) (*Tool, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("no driver %q; there are %s", name, strings.Join(Names(), ", "))
	}
	program, err := exec.LookPath(name)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, &Missing{name, k.hint}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := proc.CombinedOutput(exec.CommandContext(ctx, program, k.ask)) // wrk ends with 1, having told
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version = strings.TrimSpace(strings.TrimPrefix(version, "This is "))
	if !strings.ContainsAny(version, "0123456789") {
		return nil, fmt.Errorf("%s does not tell its version: %q, %v", program, version, err)
	}
	version, _, _ = strings.Cut(version, " Copyright")
	version, _, _ = strings.Cut(version, " <$") // of ab's source control
	return &Tool{Name: name, Version: version, program: program, kind: k}, nil
}

// Check says why the tool cannot make a load, nil if it can: requests is 0 where the time is given.
func (t *Tool) Check(s *scenario.Scenario, level result.Level, requests int64) error {
	_, err := t.request(&load.Job{Scenario: s, Addr: "127.0.0.1:80"})
	var why string
	switch {
	case err != nil:
		return err
	case level.Open():
		why = "the level has a rate, which it cannot keep as dyno does"
	case level.Pipeline > 1 && !t.kind.pipelines:
		why = fmt.Sprintf("it has one request in flight on a connection, and the level %d; h2load can", level.Pipeline)
	case level.PerConnection > 1:
		why = fmt.Sprintf("it cannot dial anew after %d requests", level.PerConnection)
	case level.PerConnection == 1 && !t.kind.closes:
		why = "it cannot dial anew for each request; ab and wrk can"
	case requests > 0 && !t.kind.counts:
		why = "it makes loads of a length, not of a number of requests: give --duration"
	default:
		return nil
	}
	return errors.New(t.Name + ": " + why)
}

// request is the one request that the tool sends: the first that the job's connections would.
func (t *Tool) request(job *load.Job) (*http.Request, error) {
	s := job.Scenario
	loaded := 0
	for i := range s.Requests {
		if s.Requests[i].Weight > 0 {
			loaded++
		}
	}
	switch {
	case loaded != 1:
		return nil, fmt.Errorf("%s sends one request over and over; the scenario %s has %d that are loaded",
			t.Name, s.Name, loaded)
	case s.Cookies || s.Session != "" || job.Cookies:
		return nil, fmt.Errorf("%s keeps no cookies, which the scenario %s needs", t.Name, s.Name)
	}
	mix, err := s.Compile(job.Host(), scenario.Options{})
	if err != nil {
		return nil, err
	}
	var want scenario.Want
	raw := mix.NewSource(job.ConnectionSeed(0), 0, job.Connections).Next(nil, &want)
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	r.Header.Del("Content-Length") // each tool says it itself
	r.Body = io.NopCloser(bytes.NewReader(body))
	if (r.Method != http.MethodGet || len(body) > 0) && !t.kind.methods {
		return nil, fmt.Errorf("%s is used for GET alone; the scenario %s has a %s", t.Name, s.Name, r.Method)
	}
	return r, nil
}

// Load makes one load with the tool, on the job's CPUs, and waits for its end. What it prints is
// appended to the file log. used is the CPU time of its processes. An error means that it could not
// be started, or ctx's; whatever the tool itself meets is in Told.
func (t *Tool) Load(ctx context.Context, job load.Job, w load.Window, log string,
) (told result.Told, used time.Duration, err error) {
	r, err := t.request(&job)
	if err != nil {
		return told, 0, err
	}
	folder, err := proc.MkdirTemp("", "dyno-driver-")
	if err != nil {
		return told, 0, err
	}
	defer proc.RemoveTemp(folder)
	argv, err := t.kind.argv(&errand{Request: r, job: &job, window: &w, folder: folder, threads: threads(&job)})
	if err != nil {
		return told, 0, err
	}
	argv = append([]string{t.program}, argv...)
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return told, 0, err
	}
	os.Remove(log) // of a load that was taken again
	began := time.Now()
	p, err := proc.Start(proc.Command{Argv: argv, Dir: folder, Env: proc.Environment(folder, folder, 0, nil),
		CPUs: job.CPUs, Log: log})
	if err != nil {
		return told, 0, err
	}
	late := time.NewTimer(longest(&job, &w))
	defer late.Stop()
	overdue := false
	select {
	case <-p.Done():
	case <-ctx.Done():
	case <-late.C:
		overdue = true
	}
	told = result.Told{Version: t.Version, Command: append([]string{t.Name}, argv[1:]...),
		WallNS: int64(time.Since(began))}
	stopped := p.Stop(time.Second)
	used, cpuErr := p.CPU()
	switch {
	case ctx.Err() != nil:
		return told, used, ctx.Err()
	case stopped != nil:
		return told, used, stopped
	case overdue:
		told.Exit = fmt.Sprintf("stopped by dyno, for it had not ended after %v", longest(&job, &w))
	case p.Err() != nil:
		told.Exit = p.Err().Error()
	}
	out, err := os.ReadFile(log)
	if err != nil {
		return told, used, err
	}
	t.read(out, &told)
	if cpuErr != nil {
		used = 0
	}
	return told, used, nil
}

// longest is the time after which a tool that was to end by itself is stopped.
func longest(job *load.Job, w *load.Window) time.Duration {
	if w.Requests > 0 {
		return time.Hour
	}
	return w.For + 2*timeout(job) + 10*time.Second
}

func timeout(job *load.Job) time.Duration {
	if job.Timeout > 0 {
		return job.Timeout
	}
	return 10 * time.Second
}

// threads is one per CPU, but only so many that each has equally many connections: wrk would drop
// the rest.
func threads(job *load.Job) int {
	n := max(1, min(len(job.CPUs), job.Connections))
	for job.Connections%n != 0 {
		n--
	}
	return n
}

// headers are those of the request that a tool does not send by itself, by name.
func headers(r *http.Request) (lines []string) {
	for name, values := range r.Header {
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return lines
}
