package refserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Control is the name of a truth server taken apart.
//
//	null            answers at once with constant bytes
//	null+5ms        each answer leaves 5 ms after its request was read, and says so; null+0ms as soon as it can
//	null~200ms/2s   stands still for the last 200 ms of every 2 s
//	null/4          every fourth request is answered by closing its connection
//	ref, ref'       answers any scenario, on net/http
//	ref+20%         the same with 20 % of its cost added
//	ref!late        the same with a defect, by the name of its Mutant
type Control struct {
	Name   string
	Null   bool    // of the null family, which answers every request alike
	Manner Manner  // of the null family
	Extra  float64 // cost added, as a share of the reference's
	Mutant *Mutant // the defect, if it has one
}

// Manner is what a server of the null family does besides answering: one of these at most.
type Manner struct {
	Timed bool          // hold each answer until Delay after its request was read, and tell the true time in TimeHeader
	Delay time.Duration // needs Timed

	Stall  time.Duration // neither read nor write for the last Stall of every Period since the start
	Period time.Duration

	Drop int64 // close the connection in place of every Drop-th answer, all connections together; 0: none
}

// ParseControl reads the name of a truth server; ok is false for any other name.
func ParseControl(name string) (c Control, ok bool, err error) {
	c = Control{Name: name, Null: true}
	switch {
	case name == "null":
		return c, true, nil
	case strings.HasPrefix(name, "null+"):
		d, err := time.ParseDuration(name[len("null+"):])
		if err != nil || d < 0 || d > time.Minute {
			return Control{}, true, fmt.Errorf("%q: want a delay up to 1m, such as null+5ms", name)
		}
		c.Manner = Manner{Timed: true, Delay: d}
		return c, true, nil
	case strings.HasPrefix(name, "null~"):
		stall, period, _ := strings.Cut(name[len("null~"):], "/")
		s, err := time.ParseDuration(stall)
		p, err2 := time.ParseDuration(period)
		if err != nil || err2 != nil || s <= 0 || p <= s || p > time.Hour {
			return Control{}, true, fmt.Errorf("%q: want a stall and the longer period that it ends, such as null~200ms/2s", name)
		}
		c.Manner = Manner{Stall: s, Period: p}
		return c, true, nil
	case strings.HasPrefix(name, "null/"):
		n, err := strconv.ParseInt(name[len("null/"):], 10, 32)
		if err != nil || n < 1 {
			return Control{}, true, fmt.Errorf("%q: want which requests are dropped, such as null/4 for every fourth", name)
		}
		c.Manner = Manner{Drop: n}
		return c, true, nil
	case name == "ref" || name == "ref'":
		return Control{Name: name}, true, nil
	case strings.HasPrefix(name, "ref!"):
		all := mutants()
		i := slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name[len("ref!"):] })
		if i < 0 {
			return Control{}, true, fmt.Errorf("%q: no such mutant; dyno verify --mutants lists them", name)
		}
		return Control{Name: name, Mutant: &all[i]}, true, nil
	case strings.HasPrefix(name, "ref+") && strings.HasSuffix(name, "%"):
		x, err := strconv.ParseFloat(name[len("ref+"):len(name)-1], 64)
		if err != nil || x <= 0 || x > 1000 {
			return Control{}, true, fmt.Errorf("%q: want a cost such as ref+5%%", name)
		}
		return Control{Name: name, Extra: x / 100}, true, nil
	}
	return Control{}, false, nil
}

// Title is what reports call it.
func (c Control) Title() string {
	switch m := c.Manner; {
	case m.Timed:
		return fmt.Sprintf("null server, answers after %v", m.Delay)
	case m.Stall > 0:
		return fmt.Sprintf("null server, stalls for %v of every %v", m.Stall, m.Period)
	case m.Drop > 0:
		return fmt.Sprintf("null server, drops 1 of %d", m.Drop)
	case c.Null:
		return "null server"
	case c.Extra > 0:
		return fmt.Sprintf("reference +%g %% cost", 100*c.Extra)
	case c.Mutant != nil:
		return "reference that " + c.Mutant.Does
	case c.Name == "ref'":
		return "reference, blinded copy"
	}
	return "reference"
}

// Engine is what speaks HTTP in it.
func (c Control) Engine() string {
	if c.Null {
		return "own"
	}
	return "net/http"
}
