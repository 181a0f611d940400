package contestant

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// portSearch finds the port of a command among those that its processes listen on.
type portSearch struct {
	offered int
	at      netip.AddrPort // where it listens; not valid until that is known
	seen    []netip.AddrPort
	since   time.Time // that seen has not changed
}

// settled is how long a command must listen on one port alone that is not the one offered before it
// is taken: others may still follow.
const settled = 300 * time.Millisecond

var errNowhere = errors.New("it does not listen on any TCP port")

// found says whether the search has ended, or need not begin.
func (s *portSearch) found() error {
	if s == nil || s.at.IsValid() {
		return nil
	}
	return errNowhere
}

// search looks where a command listens, and sets Addr when that is known. The error says that it
// cannot be known.
func (i *Instance) search() error {
	if i.port.found() == nil {
		return nil
	}
	all, err := i.Process.Listeners()
	if err != nil {
		return fmt.Errorf("see where it listens: %w", err)
	}
	if err := i.port.look(all, time.Now()); err != nil || !i.port.at.IsValid() {
		return err
	}
	i.Addr = i.reachable(i.port.at)
	return nil
}

// look takes what the processes listen on now: the port offered at once, another one when it has
// been alone for a while.
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
	var ports []string
	for _, a := range all {
		if p := strconv.Itoa(int(a.Port())); !slices.Contains(ports, p) {
			ports = append(ports, p)
		}
	}
	if len(ports) > 1 {
		last := len(ports) - 1
		return fmt.Errorf("it listens on the ports %s and %s, and not on %d, which it was offered: let it listen on "+
			"PORT "+
			"or DYNO_ADDR, or write %s where its port stands in the command",
			strings.Join(ports[:last], ", "), ports[last], s.offered, PortMark)
	}
	s.at = all[0]
	return nil
}

// reachable is an address that reaches a socket which listens at a: the loopback address where it
// listens on all.
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

// Fixed is the port of a command that listens there whatever it is offered; 0: it takes what it is
// offered.
func (i *Instance) Fixed() int {
	if i.port == nil || int(i.port.at.Port()) == i.port.offered {
		return 0
	}
	return int(i.port.at.Port())
}
