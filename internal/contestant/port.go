package contestant

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno/internal/conf"
)

// portSearch finds a command's port among those on which its processes listen.
type portSearch struct {
	offered int
	line    string         // the command; it may name a port
	at      netip.AddrPort // the chosen address; not valid until found
	seen    []netip.AddrPort
	since   time.Time // last change in seen
}

// settled is the time that a command must listen on the same single port, other than the offered one, before
// dyno uses that port, because others may follow. Of several ports it uses the one that the command names.
const settled = 300 * time.Millisecond

// number matches a whole number in a command.
var number = conf.Regexp(`\b[0-9]+\b`)

var errNowhere = errors.New("it does not listen on any TCP port")

// found returns nil if the search has ended or is not needed, else errNowhere.
func (s *portSearch) found() error {
	if s == nil || s.at.IsValid() {
		return nil
	}
	return errNowhere
}

// search finds the port on which a command listens, and sets Addr. It returns an error if the port cannot be
// determined.
func (i *Instance) search() error {
	if i.port.found() == nil {
		return nil
	}
	all, err := i.Process.Listeners()
	if err != nil {
		return fmt.Errorf("find the port on which it listens: %w", err)
	}
	if err := i.port.look(all, time.Now()); err != nil || !i.port.at.IsValid() {
		return err
	}
	if i.address != loopback {
		i.Addr, err = i.external(i.port.at)
		return err
	}
	i.Addr = i.reachable(i.port.at)
	return nil
}

// look examines the ports on which the processes listen now. It accepts the offered port at once, another
// port after a while.
func (s *portSearch) look(all []netip.AddrPort, now time.Time) error {
	slices.SortFunc(all, netip.AddrPort.Compare)
	if i := slices.IndexFunc(all, func(a netip.AddrPort) bool { return int(a.Port()) == s.offered }); i >= 0 {
		s.at = all[i]
		return nil
	}
	if !slices.Equal(all, s.seen) {
		s.seen, s.since = all, now
	}
	if len(all) == 0 || now.Sub(s.since) < settled {
		return nil
	}
	at := map[string]netip.AddrPort{} // by port
	for _, a := range slices.Backward(all) {
		at[strconv.Itoa(int(a.Port()))] = a
	}
	ports, named := slices.Sorted(maps.Keys(at)), number().FindAllString(s.line, -1)
	candidates := slices.DeleteFunc(slices.Clone(ports), func(p string) bool { return !slices.Contains(named, p) })
	if len(candidates) != 1 {
		candidates = ports
	}
	if len(candidates) > 1 {
		return fmt.Errorf("it listens on the ports %s, but not on %d, the port that dyno passed; make it listen on PORT or "+
			"DYNO_ADDR, or write %s in the command in place of the port", strings.Join(ports, " and "), s.offered, PortMark)
	}
	s.at = at[candidates[0]]
	return nil
}

// reachable returns an address that reaches a socket listening at a: the loopback address if the socket
// listens on all addresses.
func (i *Instance) reachable(a netip.AddrPort) string {
	if !a.Addr().IsUnspecified() {
		return a.String()
	}
	port := strconv.Itoa(int(a.Port()))
	if addr := net.JoinHostPort("127.0.0.1", port); a.Addr().Is4() || i.listens(addr) == nil {
		return addr
	}
	return net.JoinHostPort("::1", port)
}

// external returns the address at which other machines reach a socket listening at a.
func (i *Instance) external(a netip.AddrPort) (string, error) {
	if !a.Addr().IsUnspecified() && a.Addr().Unmap().String() != i.address {
		return "", fmt.Errorf("it listens on %s, where other machines do not reach it; make it listen on the address in "+
			"DYNO_ADDR (%s), or on all", a, i.address)
	}
	return net.JoinHostPort(i.address, strconv.Itoa(int(a.Port()))), nil
}

// Fixed returns the port of a command that ignores the offered port; 0 if it uses the offered port.
func (i *Instance) Fixed() int {
	if i.port == nil || int(i.port.at.Port()) == i.port.offered {
		return 0
	}
	return int(i.port.at.Port())
}
