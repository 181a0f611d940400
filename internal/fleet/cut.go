package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"dyno/internal/load"
)

// A brief interruption of a link ends no connection, and so loses no machine. But responses that were missing
// meanwhile then describe the network alone. The kernel retransmits segments on the load's connections, and
// no duplicates are reported. When a server is slow, its kernel acknowledges data that the server has not
// read, or reports the duplicate if the acknowledgement was too late.

// leastSilence is the shortest time without a response that a window can show: two samples.
const leastSilence = 2 * load.Slice

// cut records each generator as lost that had no response for more than a tenth of a window and
// lost segments on its connections. length is the window's length, or 0 for a number of requests.
func (s *shared) cut(length time.Duration, seen []LoadedWindow) (err error) {
	for i, r := range seen {
		l := r.Part.Load
		d := r.Part.Silent()
		if d < max(leastSilence, cmp.Or(length, time.Duration(l.WindowNS))/10) || l.Network == nil || l.Network.Lost() == 0 {
			continue
		}
		s.g.lose(s.names[i], fmt.Sprintf("its link was cut off: no response came for %v of a window, and %d segments "+
			"were sent again without reported duplicates", d, l.Network.Lost()))
		err = errGone
	}
	return err
}

// cutFrom records the generator whose request to a server failed as lost if its system had no route
// to the server, or if segments were lost on its connections; else it returns err.
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
