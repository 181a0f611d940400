// Package external runs another load generator (wrk, ab, bombardier, h2load) and reads its report.
// Tools differ in what they count, and how. Figures that a tool does not report stay unknown.
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
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// names returns the names of the supported tools.
func names() []string { return []string{"wrk", "bombardier", "ab", "h2load"} }

// Tool is an external load generator installed on this machine.
type Tool struct {
	Name    string
	Version string // version as printed
	program string // absolute path of the program
	kind    kind
}

// Missing is the error for a tool that is not installed. Hint says how to install it.
type Missing struct{ Name, Hint string }

func (m *Missing) Error() string { return fmt.Sprintf("no program %s on PATH; %s", m.Name, m.Hint) }

// Find looks for a tool on PATH and asks for its version. The error is a *Missing, or says that the
// tool is unknown or does not run.
func Find(ctx context.Context, name string) (*Tool, error) {
	k, err := known(name)
	if err != nil {
		return nil, err
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
	out, err := machine.CombinedOutput(exec.CommandContext(ctx, program, k.ask)) // wrk prints its version and ends with 1
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version = strings.TrimSpace(strings.TrimPrefix(version, "This is "))
	if strings.HasPrefix(version, "dyno ") {
		return nil, fmt.Errorf("%s is dyno under that name; put %s itself before it on PATH", program, name)
	}
	if !strings.ContainsAny(version, "0123456789") {
		return nil, fmt.Errorf("%s does not report its version: %q, %v", program, version, err)
	}
	version, _, _ = strings.Cut(version, " Copyright")
	version, _, _ = strings.Cut(version, " <$") // ab's source control
	return &Tool{Name: name, Version: version, program: program, kind: k}, nil
}

func known(name string) (kind, error) {
	k, ok := kinds[name]
	if !ok {
		return k, fmt.Errorf("no external tool %q; want one of %s", name, strings.Join(names(), ", "))
	}
	return k, nil
}

// Check returns the reason why a tool cannot make a load, nil if it can. The tool need not be
// installed.
func Check(name string, s *scenario.Scenario, level record.Level) error {
	k, err := known(name)
	if err != nil {
		return err
	}
	t := &Tool{Name: name, kind: k}
	_, err = t.request(&load.Job{Endpoint: wire.TCP("127.0.0.1:80"), Scenario: s})
	var why string
	switch {
	case err != nil:
		return err
	case level.Open():
		why = "the level has a rate, which the tool cannot keep as dyno does"
	case level.Pipeline > 1 && !t.kind.pipelines:
		why = fmt.Sprintf("it keeps one request in flight per connection, and the level has %d; use h2load",
			level.Pipeline)
	case level.PerConnection > 1:
		why = fmt.Sprintf("it cannot open a new connection after %d requests", level.PerConnection)
	case level.PerConnection == 1 && !t.kind.closes:
		why = "it cannot open a new connection for each request; ab and wrk can"
	default:
		return nil
	}
	return errors.New(t.Name + ": " + why)
}

// request returns the one request that the tool repeats: the first that the job's first connection
// would send.
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
		return nil, fmt.Errorf("%s repeats one request; the scenario %s loads %d different ones",
			t.Name, s.Name, loaded)
	case job.HTTP2 && !t.kind.streams:
		return nil, fmt.Errorf("%s: dyno uses it for HTTP/1.1 only; use h2load", t.Name)
	case s.Cookies:
		return nil, fmt.Errorf("%s keeps no cookies, which the scenario %s needs", t.Name, s.Name)
	}
	mix, err := s.Compile(job.Authority(), scenario.Options{Scheme: job.Scheme(), Loose: true})
	if err != nil {
		return nil, err
	}
	var want scenario.Want
	raw := job.Source(mix, 0).Next(nil, &want)
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	r.Header.Del("Content-Length") // each tool adds it itself
	r.Body = io.NopCloser(bytes.NewReader(body))
	if (r.Method != http.MethodGet || len(body) > 0) && !t.kind.methods {
		return nil, fmt.Errorf("dyno uses %s for GET only; the scenario %s has a %s", t.Name, s.Name, r.Method)
	}
	return r, nil
}

// Load makes one load with the tool, on the job's CPUs, and waits for its end. The tool's output
// goes to the file log. used is the CPU time of the tool's processes. The error is ctx's, or says
// why dyno could not run or stop the tool; the tool's own errors are in reported. A tool that
// cannot count requests loads for the window's time.
func (t *Tool) Load(ctx context.Context, job load.Job, w load.Window, log string,
) (reported record.Reported, used time.Duration, err error) {
	r, err := t.request(&job)
	if err != nil {
		return reported, 0, err
	}
	folder, err := machine.MkdirTemp("", "dyno-external-")
	if err != nil {
		return reported, 0, err
	}
	defer machine.RemoveTemp(folder)
	argv, err := t.kind.argv(&errand{Request: r, job: &job, window: &w, folder: folder, threads: threads(&job)})
	if err != nil {
		return reported, 0, err
	}
	argv = append([]string{t.program}, argv...)
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return reported, 0, err
	}
	os.Remove(log) // left by a load that is repeated
	began := time.Now()
	p, err := machine.Start(machine.Command{Argv: argv, Dir: folder, Env: machine.Environment(folder, folder, 0, nil),
		CPUs: job.CPUs, Log: log})
	if err != nil {
		return reported, 0, err
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
	reported = record.Reported{Version: t.Version, Command: append([]string{t.Name}, argv[1:]...),
		WallNS: int64(time.Since(began))}
	stopped := p.Stop(time.Second)
	used, cpuErr := p.CPU()
	switch {
	case ctx.Err() != nil:
		return reported, used, ctx.Err()
	case stopped != nil:
		return reported, used, stopped
	case overdue:
		reported.Exit = fmt.Sprintf("stopped by dyno, because it had not ended after %v", longest(&job, &w))
	case p.Err() != nil:
		reported.Exit = p.Err().Error()
	}
	out, err := os.ReadFile(log)
	if err != nil {
		return reported, used, err
	}
	t.read(out, &reported)
	if cpuErr != nil {
		used = 0
	}
	return reported, used, nil
}

// longest returns the time after which a tool that should have ended by itself is stopped.
func longest(job *load.Job, w *load.Window) time.Duration {
	if w.Requests > 0 {
		return time.Hour
	}
	return w.For + 2*timeout(job) + 10*time.Second
}

// timeout returns a request's time-out, 10 s by default.
func timeout(job *load.Job) time.Duration {
	if job.Timeout > 0 {
		return job.Timeout
	}
	return 10 * time.Second
}

// threads returns the tool's number of threads: one per CPU, but so that each has equally many
// connections, because wrk would drop the rest.
func threads(job *load.Job) int {
	n := max(1, min(len(job.CPUs), job.Connections))
	for job.Connections%n != 0 {
		n--
	}
	return n
}

// headers returns the request's header lines that a tool does not send by itself, sorted.
func headers(r *http.Request) (lines []string) {
	for name, values := range r.Header {
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return lines
}
