package contestant

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"dyno/internal/conf"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// engineVariable is the environment variable with the program that runs images, its flags and, after the word
// "run", flags for its run command.
const engineVariable = "DYNO_PODMAN"

// engine runs images: podman, or docker, which has the same commands.
type engine struct {
	argv    []string // program and global flags
	flags   []string // flags for the run command
	version string   // such as "podman version 4.3.1"
}

// findEngine finds this machine's engine. The error is an *Unavailable.
func findEngine(ctx context.Context) (e engine, err error) {
	words := strings.Fields(os.Getenv(engineVariable))
	none := &Unavailable{Toolchain: "podman or docker, to run an image", Reason: "neither is on PATH",
		Hint: "apt-get install podman, or set the path of a program that runs images in " + engineVariable}
	if len(words) > 0 {
		none = &Unavailable{Toolchain: words[0] + " (" + engineVariable + ")", Reason: "it is not on PATH"}
	}
	e.argv = words
	if i := slices.Index(words, "run"); i > 0 {
		e.argv, e.flags = words[:i:i], words[i+1:]
	}
	for _, name := range []string{"podman", "docker"} {
		if _, err := exec.LookPath(name); err == nil && len(e.argv) == 0 {
			e.argv = []string{name}
		}
	}
	if len(e.argv) == 0 {
		return e, none
	}
	if e.argv[0], err = exec.LookPath(e.argv[0]); err != nil {
		return e, none
	}
	if e.version, err = e.ask(ctx, "--version"); err != nil {
		none.Reason = err.Error()
		return e, none
	}
	return e, nil
}

// podman reports whether the engine starts containers itself, in the network where it is started; docker's
// daemon starts them elsewhere.
func (e engine) podman() bool { return strings.HasPrefix(e.version, "podman") }

// ask runs an engine command and returns its output.
func (e engine) ask(ctx context.Context, args ...string) (string, error) {
	text, err := output(ctx, slices.Concat(e.argv, args)...)
	if err != nil {
		err = fmt.Errorf("%s %s: %w", filepath.Base(e.argv[0]), strings.Join(args[:min(2, len(args))], " "), err)
	}
	return text, err
}

// output runs a command and returns its output. An error has the last line of its error output.
func output(ctx context.Context, argv ...string) (string, error) {
	out, err := machine.Output(exec.CommandContext(ctx, argv[0], argv[1:]...))
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(failed.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = errors.New(strings.TrimPrefix(lines[len(lines)-1], "Error: "))
	}
	return strings.TrimSpace(string(out)), err
}

// Container says how an engine runs an image.
type Container struct {
	Image  string   // its name
	Build  []string // arguments that build it and print its id; nil: it is pulled where it is missing
	Flags  []string // of the command run
	Words  []string // in place of the image's command
	Ports  string   // names the ports on which it listens; "": the image does
	Health []string // arguments of exec that succeed once a service can be asked; nil: it listens
	Apart  bool     // it has a network of its own
}

var imageName = conf.Regexp(`^[A-Za-z0-9][A-Za-z0-9._/:@-]*$`)

// check returns a usage error unless the image has a possible name.
func (c *Container) check() error {
	if c.Build == nil && !imageName().MatchString(c.Image) {
		return conf.Usagef("%q: want the name of an image after %s, such as image:docker.io/library/nginx:1.29",
			imagePrefix+c.Image, imagePrefix)
	}
	return nil
}

// Contained returns a contestant that runs in m's container, and the engine's version. It builds the image,
// or pulls it if it is missing, unless offline. The error is an *Unavailable, a *Failed or ctx's.
func Contained(ctx context.Context, m *Manifest, offline bool, note func(string)) (*Built, string, error) {
	e, err := findEngine(ctx)
	if err != nil {
		return nil, e.version, err
	}
	c := m.Command.Container
	image, hint := c.Image, "check the name; "+filepath.Base(e.argv[0])+" images lists the images on this machine"
	if c.Build != nil {
		note("building the image")
		hint = "its output says why: " + filepath.Base(e.argv[0]) + " build " + c.Build[len(c.Build)-1]
		image, err = e.ask(ctx, c.Build...)
	}
	about := ""
	look := func() {
		about, err = e.ask(ctx, "image", "inspect", "-f", "{{.Id}} {{json .Config.ExposedPorts}}", image)
	}
	if err == nil {
		look()
	}
	if err != nil && c.Build == nil && !offline && ctx.Err() == nil {
		note("pulling the image " + image)
		if _, err = e.ask(ctx, "pull", "-q", image); err == nil {
			look()
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, e.version, ctx.Err()
	case err != nil && strings.Contains(err.Error(), "Cannot connect to the Docker daemon"):
		return nil, e.version, &Unavailable{Toolchain: "docker's daemon", Reason: err.Error(),
			Hint: "systemctl start docker, or apt-get install podman"}
	case err != nil:
		return nil, e.version, &Failed{Stage: "build", Err: fmt.Errorf("the image %s: %w", image, err), Hint: hint}
	}
	b := Commanded(m)
	id, exposed, _ := strings.Cut(about, " ")
	b.Hash, b.engine, b.ports = strings.TrimPrefix(id, "sha256:"), &e, cmp.Or(c.Ports, exposed)
	return b, e.version, nil
}

// Contained reports whether b runs in a container with a network of its own.
func (b *Built) Contained() bool { return b != nil && b.engine != nil && b.command().Container.Apart }

// apart does the same for a launch: other machines would not reach it there.
func (b *Built) apart(o *LaunchOptions) bool { return b.Contained() && o.Address == "" }

// containers counts the containers that this process has started.
var containers atomic.Int64

// contain returns the command that runs the image, and the container's name. The container uses only o's CPUs,
// and can read the certificate files.
func (b *Built) contain(port int, o *LaunchOptions, env map[string]string) (argv []string, name string) {
	name = fmt.Sprintf("dyno-%d-%d", os.Getpid(), containers.Add(1))
	network := "host" // the one in which podman is started, with o.OwnNetwork not this machine's
	if o.joins {
		network = "none"
	}
	argv = slices.Concat(b.engine.argv, []string{"run", "--rm", "--no-healthcheck", "--name", name,
		"--network", network, "-e", "PORT=" + strconv.Itoa(port), "-e", "DYNO_ADDR=" + env[string(wire.AtClear)]})
	if b.engine.podman() {
		argv = append(argv, "--pidfile", o.pidFile())
	}
	for _, variable := range []string{wire.CertVariable, wire.KeyVariable} {
		if file := env[variable]; file != "" {
			argv = append(argv, "-e", variable+"="+file, "-v", file+":"+file+":ro")
		}
	}
	for _, variable := range slices.Concat(processors, slices.Sorted(maps.Keys(o.Env))) {
		if _, of := o.Env[variable]; of || o.Count && env[variable] != "" {
			argv = append(argv, "-e", variable+"="+env[variable])
		}
	}
	if len(o.CPUs) > 0 {
		list := strings.Fields(strings.Trim(fmt.Sprint(o.CPUs), "[]"))
		argv = append(argv, "--cpuset-cpus", strings.Join(list, ","))
	}
	c := b.command().Container
	return slices.Concat(argv, b.engine.flags, c.Flags, []string{b.Hash}, c.Words), name
}

// pidFile is the file in which podman writes the process of the container.
func (o *LaunchOptions) pidFile() string { return filepath.Join(o.Dir, "pid") }

// containerPolls is the interval between checks whether a container has started.
const containerPolls = 5 * time.Millisecond

// adopt waits until the container runs, and then uses its processes instead of the engine's as the
// contestant's.
func (i *Instance) adopt(ctx context.Context, o *LaunchOptions) error {
	for {
		var text string
		var err error
		if i.engine.podman() {
			var data []byte
			data, err = os.ReadFile(o.pidFile())
			text = strings.TrimSpace(string(data))
		} else {
			text, err = i.engine.ask(ctx, "inspect", "-f", "{{.State.Pid}}", i.container)
		}
		if pid, bad := strconv.Atoi(text); err == nil && bad == nil && pid > 0 {
			if err = i.Process.Adopt(pid, o.joins); err == nil {
				i.Network = i.Process.Network()
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not start the container in time: %w", i.engine.argv[0], err)
		case <-i.Process.Done():
			return i.exited()
		case <-time.After(containerPolls):
		}
	}
}

// limits returns the container's limits, as the engine states them; nil if they cannot be read.
func (i *Instance) limits(ctx context.Context) *record.Limits {
	var h struct{ Memory, NanoCpus, CpuQuota, CpuPeriod int64 }
	text, err := i.engine.ask(ctx, "inspect", "-f", "{{json .HostConfig}}", i.container)
	if err != nil || json.Unmarshal([]byte(text), &h) != nil {
		return nil
	}
	l := &record.Limits{CPUs: float64(h.NanoCpus) / 1e9, MemoryBytes: h.Memory}
	if l.CPUs == 0 && h.CpuQuota > 0 && h.CpuPeriod > 0 {
		l.CPUs = float64(h.CpuQuota) / float64(h.CpuPeriod)
	}
	return l
}

// healthy returns an error unless a service's health check succeeds, if it has one.
func (i *Instance) healthy(ctx context.Context) error {
	if i.health == nil {
		return nil
	}
	_, err := i.engine.ask(ctx, slices.Concat([]string{"exec", i.container}, i.health)...)
	return err
}

// removeContainer removes a container that did not end by itself. It takes no context, because it must run
// even after a cancellation.
func (i *Instance) removeContainer() {
	if i.container == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	i.engine.ask(ctx, "rm", "-f", i.container) // usually there is none
}
