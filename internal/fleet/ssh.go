package fleet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// place is the agent's folder on a machine that dyno reaches by ssh, below the user's home: one per fleet, so
// that different people's fleets do not conflict.
func (b *Bundle) place() string {
	return ".dyno-fleet/" + b.Name + "-" + digest([]byte(b.Secret))[:16]
}

// Scripts that ssh runs on the machine, for sh. D is the folder, and R the role. Names (nameForm) need no
// quotes.
const (
	// running checks that the recorded pid is the agent's and not a later program's.
	running = `alive() { [ -s "$D/pid" ] && [ "$(readlink "/proc/$(cat "$D/pid")/exe" 2>/dev/null)" -ef "$D/dyno" ]; }
halt() { ! alive || { kill "$(cat "$D/pid")"; n=0; while alive && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done;
	! alive || kill -9 "$(cat "$D/pid")"; }; }
`
	// look also removes an interrupted copy, which nobody has checked.
	look    = `rm -f "$D/dyno.new" || exit; uname -sm; sha256sum <"$D/dyno" 2>/dev/null || echo none`
	install = `umask 077; mkdir -p "$D" && cat >"$D/dyno.new" && sha256sum <"$D/dyno.new"`
	begin   = `umask 077; halt; [ ! -e "$D/dyno.new" ] || mv "$D/dyno.new" "$D/dyno" || exit
chmod 700 "$D/dyno" && cat >"$D/agent" && cd "$D" && export XDG_CACHE_HOME="$D/cache" &&
{ setsid ./dyno agent --role "$R" agent </dev/null >agent.log 2>&1 & echo $! >pid; }; sleep 0.3; alive ||
{ cat agent.log >&2; exit 1; }`
	end = `halt; rm -rf "$D" || exit; rmdir .dyno-fleet 2>/dev/null || true`
)

// Up copies this program to all machines with an ssh destination, unless it is there, and restarts their
// agents. say reports progress.
func (f *Fleet) Up(ctx context.Context, k *Keys, say func(string)) error {
	own, err := program()
	if err != nil {
		return err
	}
	for _, m := range f.Machines() {
		if m.SSH == "" {
			say(fmt.Sprintf("%s: it has no ssh in the file; start its agent by hand: %s", m.Name, f.Call(m.Name)))
			continue
		}
		if err := m.up(ctx, k.Bundle(f, m.Name), f.Role(m.Name), own); err != nil {
			return err
		}
		say(m.Name + ": the agent was started")
	}
	return nil
}

func (m Machine) up(ctx context.Context, b *Bundle, role Role, own Program) error {
	out, err := m.run(ctx, b, look, nil)
	if err != nil {
		return err
	}
	system, sum, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if want := uname[own.System]; system != want {
		return fmt.Errorf("%s is %s, and this dyno is for %s; copy a dyno for it there, and start dyno agent by hand "+
			"(dyno help fleet)", m.Name, system, own.System)
	}
	if !strings.HasPrefix(sum, own.Digest) {
		file, err := os.Open(programFile)
		if err != nil {
			return err
		}
		defer file.Close()
		if sum, err = m.run(ctx, b, install, file); err != nil {
			return err
		}
		if !strings.HasPrefix(sum, own.Digest) {
			return fmt.Errorf("%s: the copy of dyno there has the SHA-256 %.64s, and this one %s; try again", m.Name, sum,
				own.Digest)
		}
	}
	_, err = m.run(ctx, b, "R="+string(role)+"\n"+running+begin, bytes.NewReader(encoded(b)))
	return err
}

// uname is the output of uname -sm on machines that can run a system's programs.
var uname = map[string]string{"linux/amd64": "Linux x86_64", "linux/arm64": "Linux aarch64"}

// Down ends the agents on all machines with an ssh destination, and removes the files from Up. It continues
// after an error.
func (f *Fleet) Down(ctx context.Context, k *Keys, say func(string)) error {
	var errs []error
	for _, m := range f.Machines() {
		if m.SSH == "" {
			say(m.Name + ": it has no ssh in the file; stop its agent by hand")
			continue
		}
		if _, err := m.run(ctx, k.Bundle(f, m.Name), running+end, nil); err != nil {
			errs = append(errs, err)
			continue
		}
		say(m.Name + ": the agent and its files are gone")
	}
	return errors.Join(errs...)
}

// run runs a script on the machine, and returns its output.
func (m Machine) run(ctx context.Context, b *Bundle, script string, stdin io.Reader) (string, error) {
	c := exec.CommandContext(ctx, "ssh", "-T", m.SSH, `D="$HOME/`+b.place()+"\"\n"+script)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: ssh %s: %s", m.Name, m.SSH, cmp.Or(strings.TrimSpace(stderr.String()), err.Error()))
	}
	return stdout.String(), nil
}
