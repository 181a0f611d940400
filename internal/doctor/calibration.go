package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// CalibrationOptions are the options of Calibrate.
type CalibrationOptions struct {
	Dyno string // dyno's version
	// command that starts a reference server, whose name is appended: dyno's own program and
	// "refserver"
	Self     []string
	Scenario *scenario.Scenario // requests to the reference servers
	Quick    bool               // punctuality, one ceiling and the noise: about 5 s instead of 40 s
	Note     func(string)       // called with a description of each step; may be nil
	Times    *Times             // nil: as Quick says
}

// Times are the window lengths and the number of rounds. A step with length 0 is skipped.
type Times struct {
	Lag     time.Duration
	Ceiling time.Duration // length of the load for each of Shapes
	Shapes  []Shape
	Delay   time.Duration // length of each window with a known delay
	Warm    time.Duration // length of the warm-up for each server in the rounds
	Trial   time.Duration
	Rounds  int
	Servers int // in each round
}

// Shape is a load's shape.
type Shape struct{ Connections, Pipeline, PerConnection int }

// String describes the shape.
func (s Shape) String() string {
	text := document.Count(s.Connections, "connection")
	if s.Pipeline > 1 {
		text += fmt.Sprintf(", %d requests in flight on each", s.Pipeline)
	}
	if s.PerConnection == 1 {
		text += ", a new one for each request"
	}
	return text
}

// usual is a run's default shape.
var usual = Shape{Connections: 125, Pipeline: 1}

// full and quick are the times for the two calibrations. Trials are as long as in a paired
// comparison, because the noise depends on their length.
var (
	full = Times{
		Lag:     1500 * time.Millisecond,
		Ceiling: 800 * time.Millisecond, Shapes: []Shape{{1, 1, 0}, usual, {1000, 1, 0}, {125, 16, 0}, {125, 1, 1}},
		Delay: 1200 * time.Millisecond,
		Warm:  500 * time.Millisecond, Trial: 100 * time.Millisecond, Rounds: 20, Servers: 4,
	}
	quick = Times{
		Lag:     600 * time.Millisecond,
		Ceiling: 600 * time.Millisecond, Shapes: []Shape{usual},
		Warm: 300 * time.Millisecond, Trial: 100 * time.Millisecond, Rounds: 8, Servers: 2,
	}
)

// Calibrate measures this machine. An error means that the machine could not be measured; with it
// Calibrate returns the results so far, at least the settings.
func Calibrate(ctx context.Context, o CalibrationOptions) (*record.Calibration, error) {
	times := full
	if o.Quick {
		times = quick
	}
	if o.Times != nil {
		times = *o.Times
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	o.Note("read the machine's settings")
	machine.RaiseFileLimit()
	c := &record.Calibration{
		Format: record.Format, Dyno: o.Dyno, BootID: machine.BootID(), StartedUnixNS: time.Now().UnixNano(), Quick: o.Quick,
		Host: machine.Describe(),
	}
	c.Facts = machine.Facts(c.Host.ServerCPUs, c.Host.GeneratorCPUs)
	defer func() { c.EndedUnixNS = time.Now().UnixNano() }()

	b, err := open(o, times, c)
	if err != nil {
		return c, err
	}
	err = b.steps(ctx)
	return c, errors.Join(err, b.close())
}

// setup is a calibration's state.
type setup struct {
	CalibrationOptions
	times   Times
	cal     *record.Calibration
	meter   *machine.Meter
	folder  string // folder for logs and homes
	servers []*server
	started int
	restore func() // restores dyno's own affinity
}

// open prepares a calibration: a folder, a meter, and dyno's own CPUs.
func open(o CalibrationOptions, times Times, c *record.Calibration) (*setup, error) {
	b := &setup{CalibrationOptions: o, times: times, cal: c}
	var err error
	if b.folder, err = machine.MkdirTemp("", "dyno-calibration-"); err != nil {
		return nil, err
	}
	if b.meter, err = machine.NewMeter(); err != nil {
		return nil, errors.Join(err, b.close())
	}
	if c.Host.Pinned {
		if b.restore, err = machine.PinSelf(c.Host.GeneratorCPUs); err != nil {
			return nil, errors.Join(fmt.Errorf("pin dyno to the generator's CPUs: %w", err), b.close())
		}
	}
	return b, nil
}

// close stops all running servers and removes temporary files.
func (b *setup) close() error {
	var errs []error
	for _, s := range b.servers {
		errs = append(errs, s.Stop())
	}
	b.servers = nil
	if b.restore != nil {
		b.restore()
	}
	if b.meter != nil {
		b.meter.Close()
	}
	return errors.Join(append(errs, machine.RemoveTemp(b.folder))...)
}

// steps carries out all steps in turn.
func (b *setup) steps(ctx context.Context) error {
	for _, step := range []struct {
		does string
		run  func(context.Context) error
	}{
		{"timer accuracy and ceilings, with the null server", b.null},
		{"known delays", b.delays},
		{"the noise, in rounds", b.rounds},
	} {
		if err := step.run(ctx); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted at %s", step.does)
			}
			return fmt.Errorf("measure %s: %w", step.does, err)
		}
	}
	return nil
}

// server is a running reference server.
type server struct {
	*contestant.Instance
	name string
	log  string
}

// start starts a reference server on the server's CPUs and waits for its first right answer.
func (b *setup) start(ctx context.Context, name string) (*server, error) {
	b.started++
	home := filepath.Join(b.folder, fmt.Sprintf("server%d", b.started))
	s := &server{name: name, log: filepath.Join(home+"-log", "log")}
	built := &contestant.Built{Argv: append(b.Self[:len(b.Self):len(b.Self)], name)}
	o := contestant.LaunchOptions{Dir: home, Log: s.log, CPUs: b.pinned(b.cal.Host.ServerCPUs), Probe: b.probe}
	var err error
	if s.Instance, err = contestant.Launch(ctx, built, o); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	b.servers = append(b.servers, s)
	return s, nil
}

// stop ends a server.
func (b *setup) stop(s *server) error {
	if err := s.Stop(); err != nil {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	return nil
}

// pinned returns cpus, or nil if processes are not pinned.
func (b *setup) pinned(cpus []int) []int {
	if !b.cal.Host.Pinned {
		return nil
	}
	return cpus
}
