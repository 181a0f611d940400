package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// LocalOptions are NewLocal's options.
type LocalOptions struct {
	Root      string // the project's folder
	FS        fs.FS  // the project's files
	Manifests []*contestant.Manifest
	Scenario  string             // scenario's name
	Others    []string           // names, for levels with another scenario
	Services  []scenario.Service // called by contestants
	Alone     []string           // contestants with a network namespace each, whatever port they use
	Folder    string             // the run's folder: logs, contestants' homes
	Offline   bool               // fetch no toolchain
	Layouts   int                // function orders that a contestant is linked in, if its toolchain can; 0: one
	CPUs      int                // the fewest that servers must have; 0: the default division
	// AsPublished says that servers, generator and services have all CPUs at some level
	// (Launch.AsPublished).
	AsPublished bool
	// Address is this machine's IP address that the servers listen on, if generators on other
	// machines load them; all CPUs are then the servers'. Empty: 127.0.0.1, and this machine
	// generates the load.
	Address string
}

// Local is this machine. It is a Host and provides a Generator.
type Local struct {
	opts      LocalOptions
	self      string // dyno's own program, which also runs as a reference server
	machine   record.Host
	pin       bool // generator, dyno and its child processes are pinned to CPUs
	usable    []int
	free      bool // nothing is pinned at present: the last launch was as published
	attached  map[string]*attached
	meter     *machine.Meter
	programs  machine.Programs
	mu        sync.Mutex
	built     map[string]*contestant.Built
	layouts   map[string][]*contestant.Built // the same programs with their functions in other orders
	toolchain map[string]*found
	fixed     map[string]int // fixed ports, by contestant
	restore   func()         // restores dyno's own affinity
	identity  wire.Identity
}

// found is the result of searching for a toolchain once.
type found struct {
	once sync.Once
	tc   contestant.Toolchain
	err  error
}

// NewLocal examines the machine and divides its CPUs between servers and generator. dyno itself
// moves to the generator's CPUs when the first contestant is launched, so that builds can use all
// CPUs.
func NewLocal(o LocalOptions) (*Local, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	for _, dir := range []*string{&o.Root, &o.Folder} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return nil, err
		}
	}
	if _, err := contestant.Cache(); err != nil { // checked once for all users
		return nil, err
	}
	machine.RaiseFileLimit()
	l := &Local{opts: o, self: self, machine: machine.DescribeFor(o.CPUs), usable: machine.Usable(),
		built: map[string]*contestant.Built{}, layouts: map[string][]*contestant.Built{},
		toolchain: map[string]*found{}, fixed: map[string]int{}}
	l.opts.Services = slices.Clone(o.Services)
	for i := range o.Services {
		d := &l.opts.Services[i]
		if d.Dir != "" && !filepath.IsAbs(d.Dir) {
			d.Dir = filepath.Join(o.Root, d.Dir)
		}
		m, err := contestant.ServiceManifest(o.FS, d)
		if err != nil {
			return nil, err
		}
		l.opts.Manifests = append(slices.Clone(l.opts.Manifests), m)
	}
	if slices.ContainsFunc(o.Services, func(d scenario.Service) bool { return d.URL == "" }) && o.Address == "" {
		machine.GiveServices(&l.machine)
	}
	if l.meter, err = machine.NewMeter(); err != nil {
		return nil, err
	}
	if o.Address != "" {
		l.machine = whole(l.machine, true, o.CPUs, l.usable)
	}
	l.pin = l.machine.Pinned
	l.attach()
	return l, nil
}

// Describe returns the machine and how its CPUs are divided.
func (l *Local) Describe() record.Host { return l.machine }

// Close restores dyno's CPU affinity, removes the run's certificate, and closes the meter.
func (l *Local) Close() {
	l.meter.Close()
	if l.identity.Key != "" {
		os.RemoveAll(filepath.Dir(l.identity.Key))
	}
	if l.restore != nil {
		l.restore()
	}
}

// Build finds the toolchain and builds a contestant, or reuses an earlier build from unchanged
// sources.
func (l *Local) Build(ctx context.Context, name string, note func(string)) (record.Contestant, error) {
	if control, ok, err := refserver.ParseControl(name); ok {
		return l.control(control), err
	}
	m := l.manifest(name)
	if m == nil {
		return record.Contestant{}, fmt.Errorf("no contestant %q", name)
	}
	if m.URL != nil {
		c := l.attached[name].contestant(m)
		c.Service = l.service(name) != nil
		return c, nil
	}
	d := l.service(name)
	c := record.Contestant{
		Name: m.Name, Title: m.Title, Language: m.Language, Framework: m.Framework, Engine: m.Engine,
		Managed: m.Managed(), Service: d != nil, Tuning: m.Tuning,
		Differs: m.Differs, Paths: m.Paths, Commit: m.Commit,
	}
	here := len(l.machine.ServerCPUs)
	if l.opts.AsPublished {
		here = len(l.usable)
	}
	if here < m.CPUs {
		return c, &contestant.Unavailable{Toolchain: fmt.Sprintf("%d CPUs for servers", m.CPUs),
			Reason: fmt.Sprintf("here they have %d", here), Hint: "take a machine with more CPUs"}
	}
	b, err := l.make(ctx, m, &c, note, 0)
	if err != nil {
		return c, err
	}
	if c.Framework, c.Version, err = b.Identify(); err != nil {
		return c, err
	}
	if d != nil {
		o := contestant.LaunchOptions{Dir: l.home(name), Log: l.log(name, "seed")}
		if err := b.Serve(ctx, d, o, note); err != nil {
			return c, err
		}
		c.Tuning = m.Tuning
	}
	c.BinaryHash, c.Sources = b.Hash, b.Sources
	others, err := l.relink(ctx, m, b, &c, note)
	if err != nil {
		return c, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.built[name], l.layouts[name] = b, others
	return c, nil
}

// relink builds m once more for each further layout that the run wants, if its toolchain can, and
// records the hashes in c.
func (l *Local) relink(ctx context.Context, m *contestant.Manifest, b *contestant.Built, c *record.Contestant,
	note func(string),
) (others []*contestant.Built, err error) {
	if !b.Layouts() || l.service(m.Name) != nil {
		return nil, nil
	}
	for layout := 1; layout < l.opts.Layouts; layout++ {
		other, err := l.make(ctx, m, &record.Contestant{}, note, layout)
		if err != nil {
			return nil, err
		}
		if _, _, err := other.Identify(); err != nil {
			return nil, err
		}
		others, c.Layouts = append(others, other), append(c.Layouts, other.Hash)
	}
	return others, nil
}

// make builds m in a layout, or uses the program that its manifest names, and records the build in
// c.
func (l *Local) make(ctx context.Context, m *contestant.Manifest, c *record.Contestant, note func(string),
	layout int,
) (*contestant.Built, error) {
	if m.Command != nil && m.Revision == nil && m.Toolchain == nil {
		c.Toolchain = "none: started as given"
		if m.Command.Container != nil {
			b, engine, err := contestant.Contained(ctx, m, l.opts.Offline, note)
			c.Toolchain = "none: an image, run by " + engine
			return b, err
		}
		return contestant.Commanded(m), nil
	}
	var tc contestant.Toolchain
	var err error
	if m.Revision != nil && m.Toolchain == nil {
		c.Toolchain = "unknown: built by " + cmp.Or(m.Revision.Build, "nothing")
	} else {
		if tc, err = l.find(ctx, m, note); err != nil {
			return nil, err
		}
		c.Toolchain = fmt.Sprintf("%s %s (%s)", tc.Name, tc.Version, tc.Origin)
	}
	began := time.Now()
	o := contestant.BuildOptions{Root: l.opts.Root, Log: l.log(m.Name, "build"), Note: note, Layout: layout}
	b, err := contestant.Build(ctx, m, tc, o)
	if err != nil || !b.Kept {
		c.BuildNS = int64(time.Since(began))
	}
	return b, err
}

// control prepares a reference server: dyno's own program, with arguments that make it one.
func (l *Local) control(c refserver.Control) record.Contestant {
	l.mu.Lock()
	defer l.mu.Unlock()
	argv := []string{l.self, "refserver", c.Name}
	for _, name := range append([]string{l.opts.Scenario}, l.opts.Others...) {
		argv = append(argv, "--scenario", filepath.Join(l.opts.Root, scenario.Folder, name+".toml"))
	}
	m := &contestant.Manifest{Name: c.Name, Title: c.Title(), Language: "go", Engine: c.Engine()}
	l.built[c.Name] = &contestant.Built{Manifest: m, Argv: argv}
	return record.Contestant{Name: c.Name, Title: m.Title, Language: m.Language, Framework: "dyno",
		Version: runtime.Version(), Engine: m.Engine, Control: true, Toolchain: "dyno itself"}
}

// find looks for m's toolchain, once for all contestants that need the same one.
func (l *Local) find(ctx context.Context, m *contestant.Manifest, note func(string)) (contestant.Toolchain, error) {
	key := fmt.Sprint(m.Toolchain)
	l.mu.Lock()
	f := l.toolchain[key]
	if f == nil {
		f = &found{}
		l.toolchain[key] = f
	}
	l.mu.Unlock()
	f.once.Do(func() {
		o := contestant.FindOptions{Offline: l.opts.Offline, Note: note}
		f.tc, f.err = contestant.Find(ctx, m, o)
	})
	return f.tc, f.err
}

// home returns a server's private home in the run's folder.
func (l *Local) home(name string) string { return filepath.Join(l.opts.Folder, homeFolder, safe(name)) }

// service returns the service with that name; nil if there is none.
func (l *Local) service(name string) *scenario.Service {
	for i := range l.opts.Services {
		if l.opts.Services[i].Name == name {
			return &l.opts.Services[i]
		}
	}
	return nil
}

// serviceCPUs returns the CPUs on which services run at present.
func (l *Local) serviceCPUs() []int {
	switch {
	case l.free:
		return l.usable
	case len(l.machine.ServiceCPUs) > 0:
		return l.machine.ServiceCPUs
	}
	return l.machine.GeneratorCPUs
}

// Launch starts a built contestant on the server's CPUs, or a service on its own or the generator's
// if this machine has both. As published it pins neither, nor dyno itself.
func (l *Local) Launch(ctx context.Context, name string, o Launch) (Server, error) {
	l.mu.Lock()
	b := l.built[name]
	if others := l.layouts[name]; o.Layout > 0 && o.Layout <= len(others) {
		b = others[o.Layout-1]
	}
	if l.free = o.AsPublished; l.free && l.restore != nil {
		l.restore()
		l.restore = nil
	}
	if !l.free && l.restore == nil && l.pin && l.opts.Address == "" {
		restore, err := machine.PinSelf(l.machine.GeneratorCPUs)
		if err != nil {
			l.mu.Unlock()
			return nil, fmt.Errorf("pin dyno to the generator's CPUs: %w", err)
		}
		l.restore = restore
	}
	l.mu.Unlock()
	if s := l.attached[name]; s != nil {
		return s.launch(ctx)
	}
	if b == nil {
		return nil, fmt.Errorf("%s was not built", name)
	}
	var routes []string
	for _, file := range o.Routes {
		routes = append(routes, filepath.Join(l.opts.Root, filepath.FromSlash(file)))
	}
	cpus, given := l.machine.ServerCPUs, (*record.Processors)(nil)
	d, ask, instance := l.service(name), o.Probe.Ask, cmp.Or(o.Instance, name)
	if d != nil && o.Probe.Records == nil {
		ask = nil // it knows how to ask
	}
	switch {
	case o.AsPublished:
		cpus = nil
	case d != nil && l.opts.Address == "":
		cpus = l.serviceCPUs()
	case o.CPUs > 0:
		if !l.pin || o.CPUs > len(cpus) {
			return nil, fmt.Errorf("it cannot be given %d CPUs: servers have %d here, pinned: %v", o.CPUs, len(cpus), l.pin)
		}
		given = &record.Processors{}
		given.CPUs, given.Threads = machine.Take(cpus, o.CPUs)
		cpus = given.CPUs
	}
	apart := l.Apart(name)
	var relay *machine.Relay
	if (apart || b.Contained()) && len(o.Services) > 0 {
		l.mu.Lock()
		spared := !l.contained()
		l.mu.Unlock()
		relay = &machine.Relay{Argv: []string{l.self, "refserver", refserver.Relay + strings.Join(o.Services, ",")},
			Addrs: o.Services, CPUs: l.pinned(l.serviceCPUs()), Spared: spared}
	}
	identity, err := l.certified(o.Protocols)
	if err != nil {
		return nil, err
	}
	inst, err := contestant.Launch(ctx, b, contestant.LaunchOptions{
		Dir:  l.home(instance),
		Log:  l.log(instance, fmt.Sprintf("epoch%d", o.Epoch)),
		CPUs: l.pinned(cpus), Count: given != nil, Address: l.opts.Address, Pad: o.Padding, Delay: o.Delay,
		Work: o.Work, Env: o.Env, Routes: routes,
		Stats: o.Stats && reportsHeap(b.Manifest),
		Probe: ask, OwnNetwork: apart, Relay: relay, Protocols: o.Protocols, Identity: identity,
	})
	if err != nil {
		return nil, err
	}
	port := inst.Fixed()
	if b.Contained() { // nobody else is in its network
		port = 0
	}
	if err := l.settle(name, port); err != nil {
		return nil, errors.Join(&contestant.Failed{Stage: "launch", Err: err}, inst.Stop())
	}
	if given != nil {
		given.Variables = inst.Counted
	}
	return &localServer{Instance: inst, local: l, processors: given}, nil
}

// certified returns the run's certificate, and makes it when an HTTP form first needs it.
func (l *Local) certified(forms []wire.HTTP) (wire.Identity, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.identity.Key != "" || !slices.ContainsFunc(forms, wire.HTTP.TLS) {
		return l.identity, nil
	}
	var err error
	l.identity, err = wire.NewIdentity(filepath.Join(l.opts.Folder, tlsFolder), l.listens()...)
	return l.identity, err
}

// settle records a contestant's fixed port, 0 if it uses the offered port. Each contestant is
// started once alone before they run at the same time, which shows which need their own network
// namespace. settle returns an error if one is needed but not possible.
func (l *Local) settle(name string, port int) error {
	l.mu.Lock()
	l.fixed[name] = port
	l.mu.Unlock()
	if !l.Apart(name) {
		return nil
	}
	err := wire.NamespacesAllowed()
	if l.opts.Address != "" {
		err = errors.New("generators on other machines would not reach it in one")
	}
	if err != nil {
		return fmt.Errorf("it always listens on port %d, and so does another side, but both run at the same time; "+
			"make one of them listen on PORT, or write %s in its command in place of the port. As root, dyno can "+
			"give each its own network namespace; here: %w", port, contestant.PortMark, err)
	}
	return nil
}

// Apart reports whether a contestant is Alone, or has the same fixed port as another. If they call services, all
// contestants are apart when two are, or one is in a container: a relay to services must not distinguish them.
func (l *Local) Apart(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.opts.Alone, name) {
		return true
	}
	if l.built[name].Contained() { // it is, from its first start
		return false
	}
	services := len(l.opts.Services) > 0 && l.service(name) == nil
	if services && l.contained() {
		return true
	}
	for one, port := range l.fixed {
		for other, same := range l.fixed {
			if one != other && port > 0 && port == same && (one == name || services) {
				return true
			}
		}
	}
	return false
}

// contained reports whether a side that has been launched is in a container. l.mu must be held.
func (l *Local) contained() bool {
	for name := range l.fixed {
		if l.service(name) == nil && l.built[name].Contained() {
			return true
		}
	}
	return false
}

// pinned returns cpus, or nil if nothing is pinned.
func (l *Local) pinned(cpus []int) []int {
	if l.pin {
		return cpus
	}
	return nil
}

// Failure converts an error into a record. The log's name is relative to the run folder.
func (l *Local) Failure(name, stage string, err error) record.Failure {
	f := contestant.AsFailure(name, err)
	f.Stage = cmp.Or(f.Stage, stage)
	if rel, err := filepath.Rel(l.opts.Folder, f.LogFile); err == nil && f.LogFile != "" {
		f.LogFile = rel
	}
	return f
}

// Watch reads the machine's clocks now, and again when the returned function is called.
func (l *Local) Watch(loaded Server) func(server, generator, services time.Duration) record.Causes {
	others := l.others(loaded)
	for _, s := range others {
		s.tree.Look()
	}
	from := used(others)
	var before, after machine.Snapshot
	l.meter.Snapshot(&before)
	cpus, own := l.machine.ServerCPUs, l.machine.GeneratorCPUs
	if l.free {
		cpus, own = l.usable, l.usable
	} else if s, ok := loaded.(*localServer); ok && s.processors != nil { // the others are idle
		cpus = s.processors.CPUs
	}
	return func(server, generator, services time.Duration) record.Causes {
		l.meter.Snapshot(&after)
		beside := max(0, used(others)-from)
		c := machine.Causes(&before, &after,
			machine.Account{CPUs: cpus, Used: server}, machine.Account{CPUs: own, Used: generator},
			machine.Account{CPUs: l.serviceCPUs(), Used: services}, machine.Account{CPUs: cpus, Used: beside},
			l.own(generator))
		c.OtherSidesNS, c.Others = int64(beside), l.otherPrograms()
		if s, ok := loaded.(*attached); ok && s.tree == nil && s.target.Here {
			c.BackgroundUnknown, c.BackgroundServerNS, c.BackgroundGeneratorNS = true, 0, 0
		}
		return c
	}
}

// otherPrograms returns what other programs used the CPU. It is nil where a contestant's processes are not known
// to be no such programs: those in a container, and those at a URL that dyno cannot inspect.
func (l *Local) otherPrograms() *record.Others {
	var own []int
	for _, m := range l.opts.Manifests {
		if m.Command != nil && m.Command.Container != nil {
			return nil
		}
	}
	for _, s := range l.attached {
		if s.tree == nil && s.target.Here {
			return nil
		}
		if s.tree != nil {
			own = append(own, s.tree.Pids()...)
		}
	}
	return l.programs.Since(l.machine.CPUs, own...)
}

func (l *Local) manifest(name string) *contestant.Manifest {
	for _, m := range l.opts.Manifests {
		if m.Name == name {
			return m
		}
	}
	return nil
}
