package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Role is the purpose of a machine in a fleet.
type Role string

// The roles; fleet.toml has a table for each.
const (
	Server    Role = "server"    // builds and starts contestants
	Generator Role = "generator" // makes load
)

// roles lists all roles, in the order of Fleet.Machines.
var roles = []Role{Server, Generator}

// ParseRole returns the role with a name.
func ParseRole(name string) (Role, error) {
	if r := Role(name); slices.Contains(roles, r) {
		return r, nil
	}
	return "", fmt.Errorf("%q is no role; want %s", name, list(roles))
}

// list formats roles for people.
func list(all []Role) string {
	var names []string
	for _, r := range all {
		names = append(names, string(r))
	}
	return strings.Join(names, " or ")
}

// Roles required for orders (handler).
var (
	every     []Role // no role is required
	generates = []Role{Generator}
	starts    = []Role{Server} // for starting programs
)

// may returns an error if this agent has none of the roles required for an order.
func (a *Agent) may(kind string, required []Role) error {
	if len(required) == 0 || slices.Contains(required, a.role()) {
		return nil
	}
	return fmt.Errorf("%q is an order for a %s, and this agent is a %s; its machine's owner decides, with "+
		"dyno agent --role", kind, list(required), a.role())
}

// role returns the role that the machine's owner allows.
func (a *Agent) role() Role { return cmp.Or(a.Role, Generator) }
