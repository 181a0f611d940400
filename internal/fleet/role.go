package fleet

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a permission of a machine in a fleet.
type Role string

// The roles; fleet.toml has a table for each.
const (
	Server    Role = "server"    // builds and starts contestants
	Generator Role = "generator" // makes load
	Service   Role = "service"   // starts the contestants' service
)

// roles lists all roles, in the order of Fleet.Machines.
var roles = []Role{Server, Generator, Service}

// ParseRoles returns the roles with these names, each once.
func ParseRoles(names []string) (parsed []Role, err error) {
	for _, name := range names {
		r := Role(name)
		if !slices.Contains(roles, r) {
			return nil, fmt.Errorf("%q is no role; want %s", name, list(roles, " or "))
		}
		if !slices.Contains(parsed, r) {
			parsed = append(parsed, r)
		}
	}
	return parsed, nil
}

// list formats roles for people, or for a command line.
func list(all []Role, between string) string {
	var names []string
	for _, r := range all {
		names = append(names, string(r))
	}
	return strings.Join(names, between)
}

// Roles required for orders (handler).
var (
	every     []Role // no role is required
	generates = []Role{Generator}
	starts    = []Role{Server, Service} // roles for starting programs
)

// may returns an error if this agent has none of the roles required for an order.
func (a *Agent) may(kind string, roles []Role) error {
	if len(roles) == 0 || slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(a.roles(), r) }) {
		return nil
	}
	return fmt.Errorf("%q is an order for a %s, and this agent may be a %s; its machine's owner decides, with "+
		"dyno agent --role", kind, list(roles, " or a "), list(a.roles(), " and a "))
}

// roles returns the roles that the machine's owner allows.
func (a *Agent) roles() []Role {
	if a.Roles == nil {
		return []Role{Generator}
	}
	return a.Roles
}
