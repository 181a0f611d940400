// Package fleet lets one dyno, the controller, use others on other machines, the agents. They communicate
// over NATS, whose server runs in the controller for the duration of a command; agents wait for it between
// commands.
//
// Invariant: an agent carries out an Order from its own controller, once, and does nothing else. The
// connection is encrypted with a certificate made for the fleet; each side knows the other's key; orders are
// values with a version and a session, not shell commands. Anything else is refused with one line in the log.
// An agent without its controller stops everything that it started.
//
// All agents start a window at the same time, each by its own clock; no message is sent until the window
// ends.
package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/record"
)

// Fleet describes the machines, as written by the user in fleet.toml.
type Fleet struct {
	// Controller is the address, host:port, at which agents reach the machine on which dyno is called.
	Controller string `toml:"controller"`
	// Servers build and start contestants, Generators make the load. Each machine is in one table.
	Servers    []Machine `toml:"server"`
	Generators []Machine `toml:"generator"`

	path string
}

// Machine is another machine, with one agent.
type Machine struct {
	Name string `toml:"name"` // lower-case letters, digits and hyphens
	// Address is the IP address at which the other machines reach a server's machine.
	Address string `toml:"address"`
	SSH     string `toml:"ssh"` // ssh destination, such as ann@10.0.0.2; "": the agent is started by hand
}

var nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// reserved is the controller's name at its NATS server.
const reserved = "controller"

// Read reads a fleet file. Errors are usage errors with line and column.
func Read(path string) (*Fleet, error) {
	folder, name := filepath.Split(path)
	f := &Fleet{path: path}
	file, err := conf.Read(os.DirFS(cmp.Or(folder, ".")), name, f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, conf.Usagef("%s: no such file; write one (dyno fleet --help shows it)", path)
	case err != nil:
		return nil, conf.Usage(err)
	}
	if err := f.check(file); err != nil {
		return nil, conf.Usage(err)
	}
	return f, nil
}

func (f *Fleet) check(file *conf.File) error {
	host, port, err := net.SplitHostPort(f.Controller)
	n, _ := strconv.Atoi(port)
	switch {
	case f.Controller == "":
		return file.Errorf("", `no controller: want the address at which agents reach this machine, such as `+
			`controller = "10.0.0.1:7447"`)
	case err != nil, host == "", n < 1, n > 65535:
		return file.Errorf("controller", `%q: want host:port, such as "10.0.0.1:7447"`, f.Controller)
	case len(f.Machines()) == 0:
		return file.Errorf("", `no machines: add a table [[generator]] with name = "gen1" for each that makes load`)
	}
	seen := map[string]bool{reserved: true}
	for _, role := range roles {
		for i, m := range f.In(role) {
			key := fmt.Sprintf("%s[%d]", role, i)
			switch {
			case !nameForm.MatchString(m.Name):
				return file.Errorf(key+".name", "%q: want up to 32 lower-case letters, digits and hyphens, such as gen1",
					m.Name)
			case seen[m.Name]:
				return file.Errorf(key+".name", "%q is already taken; give each machine a name of its own", m.Name)
			case m.Address != "" && role == Generator:
				return file.Errorf(key+".address", "only a [[server]] has an address")
			case m.Address != "" && (net.ParseIP(m.Address) == nil || net.ParseIP(m.Address).IsLoopback()):
				return file.Errorf(key+".address", "%q: want the IP address at which the other machines reach this one, such "+
					`as "10.0.0.9"`, m.Address)
			case strings.HasPrefix(m.SSH, "-"):
				return file.Errorf(key+".ssh", "%q: want a destination of ssh, such as ann@10.0.0.2", m.SSH)
			}
			seen[m.Name] = true
		}
	}
	return nil
}

// In returns the machines with a role.
func (f *Fleet) In(role Role) []Machine {
	return map[Role][]Machine{Server: f.Servers, Generator: f.Generators}[role]
}

// Machines returns all machines.
func (f *Fleet) Machines() []Machine { return slices.Concat(f.Servers, f.Generators) }

// InRun returns the names of the machines that carry out a plan: the servers', unless all contestants are already
// running, then the generators'.
func (f *Fleet) InRun(p *record.Plan) (all []string) {
	if len(p.Servers.Attached) == 0 {
		all = names(f.Servers)
	}
	return append(all, names(f.Generators)...)
}

// Role returns a machine's role; "" if there is no such machine.
func (f *Fleet) Role(name string) Role {
	for _, role := range roles {
		if slices.Contains(names(f.In(role)), name) {
			return role
		}
	}
	return ""
}

// Call returns the command that starts a machine's agent by hand.
func (f *Fleet) Call(name string) string {
	flag := ""
	if role := f.Role(name); role != Generator { // the default
		flag = " --role " + string(role)
	}
	return "dyno agent" + flag + " " + filepath.Base(f.BundleFile(name))
}

// Folder returns the folder with the fleet's keys: fleet.keys next to fleet.toml.
func (f *Fleet) Folder() string { return strings.TrimSuffix(f.path, ".toml") + ".keys" }
