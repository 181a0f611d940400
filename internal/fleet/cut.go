package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"dyno/internal/load"
)

// A link that is cut off for a moment ends no connection, and so loses no machine. But what was asked of a server
// meanwhile says something about the network alone. The kernel then sends segments again; it does not when
// a server is slow, for it acknowledges what the server has not read.

// resent returns how many segments the machines of the run have sent again until now.
func (h *Host) resent() int64 {
	var sum atomic.Int64
	each(h.machines, func(_ int, name string) {
		if u, err := tell[Generating, Used](h.work, h, name, toCPU, Generating{}, serverLimit); err == nil {
			sum.Add(u.Resent)
		}
	})
	return sum.Load()
}

// leastSilence is the shortest time without an answer that a window can show: two samples.
const leastSilence = 2 * load.Slice

// cut loses the generators of a window of that length, or of a number of requests if it is 0, to which no answer came for more than a tenth of it, if segments were sent
// again since before, as resent said.
func (s *shared) cut(length time.Duration, seen []*LoadedWindow, before int64) error {
	silent := map[string]time.Duration{}
	for i, r := range seen {
		if d := r.Part.Silent(); d >= max(leastSilence, cmp.Or(length, time.Duration(r.Part.Load().WindowNS))/10) {
			silent[s.names[i]] = d
		}
	}
	if len(silent) == 0 || s.g.resent() == before {
		return nil
	}
	for name, d := range silent {
		s.g.lose(name, fmt.Sprintf("its link was cut off: no answer came for %v of a window, and segments were sent again", d))
	}
	return errGone
}

// cutFrom loses the generator that asked a server in vain, if its system knew no way there, or if segments were sent
// again since before.
func (g *generator) cutFrom(name, failed string, unreachable bool, before int64) error {
	why := ""
	if !unreachable {
		if g.resent() == before {
			return nil
		}
		why = "segments were sent again, and "
	}
	failed, _, _ = strings.Cut(failed, "\n")
	g.lose(name, "its link was cut off: "+why+failed)
	return errGone
}

// unreachable reports whether err says that this machine knows no way to another one.
func unreachable(err error) bool {
	return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}
