package contestant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"dyno/internal/machine"
	"dyno/internal/wire"
)

// engineVariable is the environment variable with the program that runs images, its flags and, after the word
// "run", flags for its run command.
const engineVariable = "DYNO_PODMAN"

// engine runs images: podman, or docker, which has the same commands.
type engine struct {
	argv  []string // program and global flags
	flags []string // flags for the run command
}

// findEngine finds this machine's engine. The error is an *Unavailable.
func findEngine() (engine, error) {
	words := strings.Fields(os.Getenv(engineVariable))
	if len(words) > 0 {
		e := engine{argv: words}
		if i := slices.Index(words, "run"); i > 0 {
			e = engine{words[:i], words[i+1:]}
		}
		if _, err := exec.LookPath(e.argv[0]); err != nil {
			return e, &Unavailable{Toolchain: e.argv[0] + " (" + engineVariable + ")", Reason: err.Error()}
		}
		return e, nil
	}
	for _, name := range []string{"podman", "docker"} {
		if _, err := exec.LookPath(name); err == nil {
			return engine{argv: []string{name}}, nil
		}
	}
	return engine{}, &Unavailable{Toolchain: "podman or docker, to run an image", Reason: "neither is on PATH",
		Hint: "install podman, or set the path of a program that runs images in " + engineVariable}
}

// ask runs an engine command and returns its output.
func (e engine) ask(ctx context.Context, args ...string) (string, error) {
	argv := slices.Concat(e.argv, args)
	out, err := machine.Output(exec.CommandContext(ctx, argv[0], argv[1:]...))
	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = errors.New(strings.TrimPrefix(lines[len(lines)-1], "Error: "))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", e.argv[0], strings.Join(args[:min(2, len(args))], " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Contained returns a contestant that runs the image m.Command.Image. It pulls a missing image unless
// offline. The error is an *Unavailable, a *Failed or ctx's.
func Contained(ctx context.Context, m *Manifest, offline bool, note func(string)) (*Built, error) {
	e, err := findEngine()
	if err != nil {
		return nil, err
	}
	image := m.Command.Image
	id, err := e.ask(ctx, "image", "inspect", "-f", "{{.Id}}", image)
	if err != nil && !offline && ctx.Err() == nil {
		note("pulling the image " + image)
		if _, err = e.ask(ctx, "pull", "-q", image); err == nil {
			id, err = e.ask(ctx, "image", "inspect", "-f", "{{.Id}}", image)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &Failed{Stage: "build", Err: fmt.Errorf("the image %s: %w", image, err),
			Hint: "check the name; " + e.argv[0] + " images lists the images on this machine"}
	}
	b := Commanded(m)
	b.Hash, b.engine = strings.TrimPrefix(id, "sha256:"), &e
	return b, nil
}

// containers counts the containers that this process has started.
var containers atomic.Int64

// contain returns the command that runs the image, and the container's name. The container uses the machine's
// network and only o's CPUs, and can read the certificate files.
func (b *Built) contain(port int, o *LaunchOptions, env map[string]string) (argv []string, name string) {
	name = fmt.Sprintf("dyno-%d-%d", os.Getpid(), containers.Add(1))
	argv = append(slices.Clone(b.engine.argv), "run", "--rm", "--name", name, "--network", "host",
		"-e", "PORT="+strconv.Itoa(port), "-e", "DYNO_ADDR="+env[string(wire.AtClear)])
	for _, variable := range []string{wire.CertVariable, wire.KeyVariable} {
		if file := env[variable]; file != "" {
			argv = append(argv, "-e", variable+"="+file, "-v", file+":"+file+":ro")
		}
	}
	for _, variable := range processors {
		if value := env[variable]; o.Count && value != "" {
			argv = append(argv, "-e", variable+"="+value)
		}
	}
	if len(o.CPUs) > 0 {
		list := strings.Fields(strings.Trim(fmt.Sprint(o.CPUs), "[]"))
		argv = append(argv, "--cpuset-cpus", strings.Join(list, ","))
	}
	return append(append(argv, b.engine.flags...), b.Manifest.Command.Image), name
}

// containerPolls is the interval between checks whether a container has started.
const containerPolls = 50 * time.Millisecond

// adopt waits until the container runs, and then uses its processes instead of the engine's as the
// contestant's.
func (i *Instance) adopt(ctx context.Context) error {
	for {
		text, err := i.engine.ask(ctx, "inspect", "-f", "{{.State.Pid}}", i.container)
		if pid, bad := strconv.Atoi(text); err == nil && bad == nil && pid > 0 {
			return i.Process.Adopt(pid)
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
