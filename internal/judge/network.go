package judge

import (
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
)

// fewResent is the number of segments below which their share means nothing: a single connection
// that a full backlog refused has two.
const fewResent = 5

// resent checks how many segments the load's connections sent again although no server reported the
// first as received, and how many came out of order. The generator's end counts neither
// segments that servers send again nor traffic between programs. Older records count the whole machine,
// which says nothing about the load beyond an upper limit; runs recorded before dyno counted have
// no finding.
func resent(c *Check, e *Evidence) []Finding {
	// slowest right answer, by whether the trial lost segments or got them out of order
	sum, whole, slowest := record.Network{}, false, map[bool]int64{}
	for _, t := range e.watched() {
		if o := t.Load.Network; o != nil {
			sum.Add(o)
			whole = whole || o.Connections == 0
			lost := o.Lost() > 0 || o.OutOfOrder > 0
			slowest[lost] = max(slowest[lost], t.Load.ServiceMaxNS)
		}
	}
	if sum.Sent == 0 {
		return nil
	}
	grade := func(i int, n, of int64) State {
		if n < fewResent {
			return Pass
		}
		return c.Limits[i].Grade(share(float64(n), float64(of)))
	}
	again := fmt.Sprintf("%s of %s segments", document.Whole(sum.Retransmitted), document.Whole(sum.Sent))
	order := fmt.Sprintf("%s of %s", document.Whole(sum.OutOfOrder), document.Whole(sum.Received))
	out, in := grade(0, sum.Retransmitted, sum.Sent), grade(1, sum.OutOfOrder, sum.Received)
	if whole {
		return []Finding{{State: min(max(out, in), CannotTell), Text: again + " of all programs on the generator's " +
			"machine were sent again, and " + order + " came out of order; the record does not say which of these belonged " +
			"to the load, or whether any was lost"}}
	}
	text := again + " to the servers were sent again"
	if sum.NoDuplicates {
		out, text = min(out, CannotTell), text+"; whether the servers already had these is not known"
	} else {
		out = grade(0, sum.Lost(), sum.Sent)
		text += fmt.Sprintf(", of which the servers reported %s as duplicates", document.Whole(sum.Duplicates))
	}
	if sum.NoOrder {
		in, text = CannotTell, text+"; whether segments came out of order is not known"
	} else {
		text += "; " + order + " from the servers came out of order"
	}
	if text += "; what the servers sent again is not checked"; max(out, in) > CannotTell {
		text += fmt.Sprintf("; slowest right answer of trials with more segments sent again than reported as "+
			"duplicates, or any out of order: %s; ", slowestRight(slowest[true]))
		if ns, any := slowest[false]; any {
			text += "of the others: " + slowestRight(ns)
		} else {
			text += "there are no others"
		}
	}
	return []Finding{{State: max(out, in), Text: text}}
}

// bandwidth checks which share of their link's bandwidth the generators used, if the server is on
// another machine. Other runs have no such finding.
func bandwidth(c *Check, e *Evidence) []Finding {
	linked := func(t *record.Trial) bool { return t.Load.Network != nil && t.Load.Network.Link != "" }
	if !slices.ContainsFunc(e.Valid, linked) {
		return nil
	}
	return measured(func(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
		most := &record.Network{}
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
