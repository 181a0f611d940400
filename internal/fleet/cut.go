package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"dyno/internal/load"
)

// A link that is cut off for a moment ends no connection, and so loses no machine. But what was asked of a server
// meanwhile says something about the network alone. The kernel then sends segments of the load's connections
// again, and no duplicates are reported. When a server is slow, its kernel acknowledges what the server has
// not read, or reports the duplicate if that was too late.

// leastSilence is the shortest time without an answer that a window can show: two samples.
const leastSilence = 2 * load.Slice

// cut loses each generator of a window of that length, or of a number of requests if it is 0, to which no
// answer came for more than a tenth of the window, and whose connections lost segments in it.
func (s *shared) cut(length time.Duration, seen []LoadedWindow) (err error) {
	for i, r := range seen {
		l := r.Part.Load()
		d := r.Part.Silent()
		if d < max(leastSilence, cmp.Or(length, time.Duration(l.WindowNS))/10) || l.Network == nil || l.Network.Lost() == 0 {
			continue
		}
		s.g.lose(s.names[i], fmt.Sprintf("its link was cut off: no answer came for %v of a window, and of %d segments of its "+
			"connections that were sent again no duplicates were reported", d, l.Network.Lost()))
		err = errGone
	}
	return err
}

// cutFrom loses the generator that asked a server in vain, if its system knew no way there, or if segments of its
// connections were lost; else it returns err.
func (g *generator) cutFrom(name string, err error) error {
	f, _ := errors.AsType[*Fault](err)
	if f == nil || !f.Unreachable && !f.Lost {
		return err
	}
	why, _, _ := strings.Cut(f.Text, "\n")
	if !f.Unreachable {
		why = "segments were sent again without reported duplicates, and " + why
	}
	g.lose(name, "its link was cut off: "+why)
	return errGone
}
