package contestant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// LaunchOptions says how Launch starts a contestant.
type LaunchOptions struct {
	Dir     string // private home, with a temp folder; deleted and created anew
	Log     string // file to which the output is appended
	CPUs    []int  // the process is pinned to these; nil: not pinned
	Count   bool   // tell the process the number of CPUs in environment variables
	Address string // IP address of this machine to listen on; empty: 127.0.0.1
	Pad     int    // bytes of padding in the environment
	Delay   time.Duration
	Work    string            // the handlers' work: empty, or record.CPUBound
	Stats   bool              // request heap figures
	Env     map[string]string // more variables
	Nobody  bool              // run it as the user nobody
	Routes  []string          // files with routes to register
	Timeout time.Duration     // time limit for becoming ready, 0 means 30 s; building times as long while a command works
	// Probe asks it; nil for a service, which knows how.
	Probe func(ctx context.Context, to wire.Endpoint) error
	// OwnNetwork adds a separate network namespace, where a port may be in use that another process uses too.
	OwnNetwork bool
	Relay      *machine.Relay // into that namespace, or a container's
	joins      bool           // its network is a container's, and known once this runs
	// Protocols are the forms of HTTP in which the probe must succeed; none: HTTP/1.1 in the clear.
	Protocols []wire.HTTP
	Identity  wire.Identity // the server's identity for protocols over TLS
}

// Instance is a started contestant. The owner must stop it.
type Instance struct {
	wire.Endpoint
	also     map[wire.Listener]string // host:port of further listeners
	identity wire.Identity
	address  string            // IP address on which it should listen
	Stats    string            // host:port for heap figures; empty: not requested
	Counted  map[string]string // variables set for LaunchOptions.Count
	Process  *machine.Process
	ReadyNS  int64       // time from the process start to the first right response
	port     *portSearch // finds the port that a command chose; else nil

	engine    *engine        // engine that runs an image; else nil
	container string         // the container's name
	Limits    *record.Limits // of the container
	health    []string       // arguments for the engine's exec, see healthy
	data      string         // temporary folder with a service's data; ""
}

// Stop ends the whole process tree and returns when all processes have ended.
func (i *Instance) Stop() error {
	defer i.removeContainer()
	err := i.Process.Stop(stopGrace)
	if i.data != "" {
		err = errors.Join(err, machine.RemoveTemp(i.data))
	}
	return err
}

// End stops an instance that must end on SIGTERM. It returns an error if the instance had to be killed.
func (i *Instance) End() error {
	if i.port != nil { // the contract does not cover how a user's own server ends
		return i.Stop()
	}
	err := i.Process.Stop(endGrace)
	if err == nil && i.Process.Forced() {
		err = fmt.Errorf("it did not exit within %v of SIGTERM and was killed; a contestant must exit on SIGTERM "+
			"(does it ignore the signal, or leave child processes?)", endGrace)
	}
	return err
}

// Launch starts b on a free port, waits until it answers the probe, and verifies that the listening process
// is in the started tree. The error is a *Failed, or ctx's; after an error nothing is left running.
func Launch(ctx context.Context, b *Built, o LaunchOptions) (*Instance, error) {
	if b.service != nil {
		return b.launchService(ctx, o)
	}
	return b.start(ctx, o)
}

// start does the same as Launch, without a copy of a service's data.
func (b *Built) start(ctx context.Context, o LaunchOptions) (*Instance, error) {
	if b.service != nil && o.Probe == nil {
		o.Probe = b.ready
	}
	if b.service != nil && b.service.Port > 0 {
		ln, err := net.Listen("tcp", net.JoinHostPort(o.address(), strconv.Itoa(b.service.Port)))
		if err != nil {
			return nil, &Failed{Stage: "launch", Err: err, Hint: "omit port, or stop the program that uses it"}
		}
		ln.Close()
		return launchOn(ctx, b, o, b.service.Port)
	}
	port, err := freePort(o.address())
	if err != nil {
		return nil, &Failed{Stage: "launch", Err: err}
	}
	return launchOn(ctx, b, o, port)
}

// launchOn does the same as Launch, on a given port.
func launchOn(ctx context.Context, b *Built, o LaunchOptions, port int) (*Instance, error) {
	if err := b.unchanged(); err != nil {
		return nil, &Failed{Stage: "launch", Err: err}
	}
	err := os.RemoveAll(o.Dir)
	if err != nil {
		return nil, &Failed{Stage: "launch", Err: err}
	}
	tmp := filepath.Join(o.Dir, "tmp")
	for _, dir := range []string{tmp, filepath.Dir(o.Log)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, &Failed{Stage: "launch", Err: err}
		}
	}
	addrs, err := o.addresses(port, b.command() == nil)
	if err != nil {
		return nil, &Failed{Stage: "launch", Err: err}
	}
	addr, stats := addrs[wire.AtClear], addrs[statsListener]
	env, dir, argv, command := o.env(addrs), cmp.Or(b.Dir, o.Dir), b.Argv, b.command()
	maps.Copy(env, b.Env)
	counted := o.counted(env, command != nil)
	if command != nil { // the user's variables must not win
		argv, env["DYNO_ADDR"], env["PORT"] = command.argv(port), addr, strconv.Itoa(port)
	}
	container, undo := "", []string(nil)
	if b.engine != nil {
		o.OwnNetwork, o.joins = b.apart(&o) && b.engine.podman(), b.apart(&o) && !b.engine.podman()
		if none := wire.NamespacesAllowed(); b.apart(&o) && none != nil {
			return nil, &Failed{Stage: "launch", Hint: "run dyno as root",
				Err: fmt.Errorf("its container gets a network of its own, which takes root: %w", none)}
		}
		argv, container = b.contain(port, &o, env)
		undo = slices.Concat(b.engine.argv, []string{"rm", "-f", container})
	}
	began := time.Now()
	p, err := machine.Start(machine.Command{
		Argv: argv, Dir: dir, Env: machine.Environment(o.Dir, tmp, o.Pad, env), CPUs: o.CPUs, Log: o.Log,
		OwnNetwork: o.OwnNetwork, Relay: o.Relay, Undo: undo, Nobody: o.Nobody,
	})
	if err != nil {
		return nil, &Failed{Stage: "launch", Err: err, Log: o.Log}
	}
	i := &Instance{Endpoint: wire.Endpoint{Network: p.Network(), Addr: addr}, Stats: stats, Process: p,
		Counted: counted, also: addrs, identity: o.Identity, address: o.address(),
		engine: b.engine, container: container}
	if command != nil {
		i.port = &portSearch{offered: port, line: command.Line + b.ports}
		if b.service != nil && command.Container != nil {
			i.health = command.Container.Health
		}
	}
	proving, err := i.ready(ctx, &o)
	i.ReadyNS = int64(time.Since(began) - proving)
	if ended := p.RelayEnded(); err != nil && ended != nil {
		err = fmt.Errorf("dyno's relay from its network to the services ended: %w", ended)
	}
	if err == nil && b.engine != nil {
		i.Limits = i.limits(ctx)
	}
	if err == nil {
		err = b.unchanged() // it may have changed during the start
	}
	if err != nil {
		err = &Failed{Stage: "launch", Err: err, Log: o.Log, Tail: p.LogTail(tailLines)}
		if stop := i.Stop(); stop != nil {
			err = errors.Join(err, stop)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return i, nil
}

// tailLines is the number of log lines in a failure: enough for a message before its stack.
const tailLines = 40

// building is how many times longer a command may take as long as it uses CPU and answers nothing: it may
// compile before it serves, as go run and cargo run do.
const building = 4

// ready polls until the probe succeeds and the listening socket belongs to the contestant. proving is the
// time for checking the socket: about 80 ms on a kernel with a large socket table. It does not count as the
// contestant's time.
func (i *Instance) ready(ctx context.Context, o *LaunchOptions) (proving time.Duration, err error) {
	started, timeout := time.Now(), cmp.Or(o.Timeout, 30*time.Second)
	next, used := started.Add(timeout/2), time.Duration(0) // look at the time, and at CPU used before
	ctx, cancel := context.WithTimeout(ctx, building*timeout)
	defer cancel()
	if i.engine != nil {
		if err := i.adopt(ctx, o); err != nil {
			return 0, err
		}
	}
	wait := time.Millisecond
	forms := o.Protocols
	if len(forms) == 0 {
		forms = []wire.HTTP{wire.Clear}
	}
	var heard readiness
	for {
		select {
		case <-i.Process.Done():
			return 0, i.exited()
		case <-ctx.Done():
			return 0, fmt.Errorf("it was not ready within %v: %w", building*timeout, heard.why())
		case <-time.After(wait):
		}
		wait = min(2*wait, 4*time.Millisecond)
		began := time.Now()
		if began.After(next) {
			cpu, err := i.Process.CPU()
			works := i.port != nil && heard.answer == nil && err == nil && cpu-used > timeout/1000
			if took := next.Sub(started); took >= timeout && !works {
				return 0, fmt.Errorf("it was not ready within %v: %w", took, heard.why())
			}
			used, next = cpu, next.Add(timeout/2)
		}
		if err := i.search(); err != nil {
			return 0, err
		}
		at := i.At(forms[0])
		heard.at = forms[0].Listener()
		if heard.dial = i.port.found(); heard.dial == nil {
			heard.dial = i.listens(at.Addr)
		}
		if heard.dial != nil {
			continue
		}
		// Before the first request: a response from another program must not count.
		if err := i.ours(at.Addr); err != nil {
			if heard.dial = i.listens(at.Addr); heard.dial != nil { // the other program is gone
				continue
			}
			return 0, err
		}
		proving += time.Since(began)
		asking, done := context.WithDeadline(ctx, next)
		err := o.Probe(asking, at)
		if err == nil {
			err = i.healthy(asking)
		}
		done()
		if err == nil {
			if forms = forms[1:]; len(forms) == 0 {
				return proving, nil
			}
			wait, heard = time.Millisecond, readiness{}
			continue
		}
		if forms[0] != wire.Clear {
			err = fmt.Errorf("%s: %w", forms[0].Words(), err)
		}
		heard.probe(err)
	}
}

// exited returns an error that describes how a process ended instead of serving.
func (i *Instance) exited() error {
	err := i.Process.Err()
	var code *exec.ExitError
	switch {
	case err == nil && len(i.Process.Tree()) > 0:
		return errors.New("it exited before it was ready, with status 0, and left processes in the background; " +
			"start a server in the foreground")
	case err == nil:
		return errors.New("it exited before it was ready, with status 0, and left no process in the background; " +
			"is its port in use, or is it running already?")
	case i.port != nil && errors.As(err, &code) && code.ExitCode() == 127: // POSIX, sh, 2.8.2
		return errors.New("it exited before it was ready: the shell did not find the program (exit status 127)")
	}
	return fmt.Errorf("it exited before it was ready: %w", err)
}

// readiness holds the last errors of a contestant that is not ready yet.
type readiness struct {
	dial   error // last dial; nil if it listened
	answer error // why the last response was wrong
	silent error // last request without a response in time
	at     wire.Listener
}

// probe records why a probe failed.
func (w *readiness) probe(err error) {
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() {
		w.silent = err
	} else {
		w.answer = err
	}
}

// why returns the most informative reason: a wrong response rather than a time-out in the last request.
func (w *readiness) why() error {
	switch {
	case w.answer != nil:
		return fmt.Errorf("it listens, but the first request fails: %w", w.answer)
	case w.silent != nil:
		return fmt.Errorf("it listens, but does not answer: %w", w.silent)
	}
	if errors.Is(w.dial, errNowhere) {
		return w.dial
	}
	return fmt.Errorf("%w (does it listen on %s?)", cmp.Or(w.dial, errors.New("nothing was tried")),
		cmp.Or(w.at, wire.AtClear))
}

// listens opens and closes a connection to addr.
func (i *Instance) listens(addr string) error {
	to := wire.Endpoint{Network: i.Network, Addr: addr}
	conn, err := to.Dial(context.Background(), &net.Dialer{Timeout: time.Second})
	if err != nil {
		return err
	}
	return conn.Close()
}

// ours verifies that the socket listening at addr belongs to the started tree.
func (i *Instance) ours(addr string) error {
	a, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	// nobody else is in its network namespace, or its own sockets gave this address
	if i.Network != "tcp" || !a.Addr().IsLoopback() && a.Addr().String() != i.address {
		return nil
	}
	port := int(a.Port())
	ours, pids, err := i.Process.Listening(a)
	switch {
	case err != nil:
		return fmt.Errorf("find the process that listens on port %d: %w", port, err)
	case ours:
		return nil
	case len(pids) == 0:
		return fmt.Errorf("it should listen on port %d, but a process that dyno cannot inspect uses that port", port)
	}
	return fmt.Errorf("port %d is in use by another process: pid %d (%s)", port, pids[0], machine.Name(pids[0]))
}

// Failed is a contestant's error.
type Failed struct {
	Stage string // build or launch
	Err   error
	Hint  string
	Log   string   // log file
	Tail  []string // the log's last lines; read from Log if nil
}

func (f *Failed) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failed) Unwrap() error { return f.Err }

// AsFailure converts an error of this package into a record. Stage is empty for other errors.
func AsFailure(contestant string, err error) record.Failure {
	f := record.Failure{Contestant: contestant, Reason: err.Error()}
	var none *Unavailable
	var failed *Failed
	switch {
	case errors.As(err, &none):
		f.Stage, f.Hint = "toolchain", none.Hint
	case errors.As(err, &failed):
		f.Stage, f.Hint, f.LogFile, f.LogTail = failed.Stage, failed.Hint, failed.Log, failed.Tail
		if f.LogTail == nil && failed.Log != "" {
			f.LogTail = machine.Tail(failed.Log, tailLines)
		}
	}
	return f
}
