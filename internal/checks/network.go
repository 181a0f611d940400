package checks

import (
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/result"
)

// counted are the segments of trials, and how many trials have a count.
func counted(trials []result.Trial) (sum result.Network, n int) {
	for i := range trials {
		if o := trials[i].Load.Network; o != nil {
			sum.Add(o)
			n++
		}
	}
	return sum, n
}

// fewResent are the segments below which their share means nothing: a single connection that a full
// backlog refused has two.
const fewResent = 5

// resent checks how many segments the generator's machine sent again, or got after later ones. A
// segment that is lost costs its request 200 ms, the shortest that the kernel waits before it sends one
// again (TCP_RTO_MIN, include/net/tcp.h), unless later segments show the loss earlier. Runs that were
// recorded before dyno counted have no such finding.
func resent(c *Check, e *Evidence) []Finding {
	sum, n := counted(e.watched())
	if n == 0 || sum.Sent == 0 {
		return nil
	}
	out := share(float64(sum.Retransmitted), float64(sum.Sent))
	in := share(float64(sum.OutOfOrder), float64(sum.Received))
	if sum.Retransmitted < fewResent {
		out = 0
	}
	if sum.OutOfOrder < fewResent {
		in = 0
	}
	state := max(c.Limits[0].Grade(out), c.Limits[1].Grade(in))
	text := fmt.Sprintf("%s of %s segments were sent again, and %s of %s came out of order",
		document.Whole(sum.Retransmitted), document.Whole(sum.Sent), document.Whole(sum.OutOfOrder),
		document.Whole(sum.Received))
	if state > Pass {
		text += ": a link or a full backlog drops packets, and each costs its request 200 ms or so"
	}
	return []Finding{{State: state, Text: text}}
}

// bandwidth checks what share of their link's bandwidth the generators used, where the server is on
// another machine. Other runs have no such finding.
func bandwidth(c *Check, e *Evidence) []Finding {
	linked := func(t result.Trial) bool { return t.Load.Network != nil && t.Load.Network.Link != "" }
	if !slices.ContainsFunc(e.Valid, linked) {
		return nil
	}
	return measured(func(c *Check, e *Evidence, name string, own []result.Trial) (State, string) {
		most := &result.Network{}
		for i := range own {
			if linked(own[i]) {
				most.Add(own[i].Load.Network)
			}
		}
		switch link := document.Clean(most.Link); {
		case link == "":
			return Pass, "it is on the generator's machine: there is no link"
		case most.LinkBitsPerSec == 0:
			return CannotTell, fmt.Sprintf("the bandwidth of the link %s is not known: the card does not say", link)
		default:
			state := c.Limits[0].Grade(most.LinkShare)
			text := fmt.Sprintf("up to %s of the bandwidth of the link %s was used",
				document.Percent(most.LinkShare), link)
			if state == Fail {
				text += ": a lower bound, it may be faster"
			}
			return state, text
		}
	})(c, e)
}
