package fleet

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"dyno/internal/clocks"
)

// State is what a check found of one machine and of the link to it.
type State struct {
	Name            string
	Roles           []Role
	System          string        // of its dyno: "linux/amd64"
	Offset          clocks.Offset // of its clock from the controller's
	BandwidthPerSec float64       // bytes
	Condition       Condition
}

// Check examines all machines: one after another, so that their bytes do not share the link.
func (h *Hub) Check(ctx context.Context) ([]State, error) {
	var all []State
	for _, name := range names(h.fleet.Machines()) {
		s := State{Name: name, Roles: h.fleet.Roles(name), System: h.Hello(name).System}
		var other clocks.Other
		if err := h.Ping(ctx, name, &other); err != nil {
			return nil, err
		}
		s.Offset = other.At(h.now())
		var err error
		if s.BandwidthPerSec, err = h.Bandwidth(ctx, name); err != nil {
			return nil, err
		}
		c, err := ask(ctx, h, name, examine, Examining{int64(time.Second)}, patience)
		if err != nil {
			return nil, err
		}
		s.Condition = c
		all = append(all, s)
	}
	return all, nil
}

// Limits of a machine and its link above which a check warns.
const (
	wideBound      = time.Millisecond // of the clock: a start is to be known to 1 ms
	longPause      = 5 * time.Millisecond
	muchBackground = 0.05
	fewFiles       = 4096
)

// Warnings says what stands in the way of a load from this machine, and what to do.
func (s *State) Warnings() (all []string) {
	c := &s.Condition
	if s.Offset.BoundNS > int64(wideBound) {
		all = append(all, fmt.Sprintf("its clock is known to ± %s only, so is the start of its load; use a link with a "+
			"shorter round trip", short(s.Offset.BoundNS)))
	}
	if c.BackgroundShare > muchBackground {
		all = append(all, fmt.Sprintf("other programs used %.0f %% of its CPUs; stop them", 100*c.BackgroundShare))
	}
	if c.StealShare > muchBackground {
		all = append(all, fmt.Sprintf("its hypervisor gave %.0f %% of the CPUs' time to other machines; use one with "+
			"CPUs of its own", 100*c.StealShare))
	}
	if c.PauseNS > int64(longPause) {
		all = append(all, fmt.Sprintf("a sleep of 1 ms took %s longer; latencies above that are its own, not the "+
			"server's", short(c.PauseNS)))
	}
	if c.FileLimit > 0 && c.FileLimit < fewFiles {
		all = append(all, fmt.Sprintf("it may open %d files, and so fewer connections; raise the limit (ulimit -n, "+
			"LimitNOFILE= of systemd)", c.FileLimit))
	}
	return all
}

// Write writes the states as a table, and a line for each warning.
func Write(w io.Writer, states []State) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "machine\troles\tsystem\tCPUs\tbackground\tsteal\tlongest pause\topen files\tround trip\tclock\tfrom it")
	for _, s := range states {
		c := &s.Condition
		files := "unlimited"
		if c.FileLimit > 0 && c.FileLimit < math.MaxInt32 {
			files = fmt.Sprint(c.FileLimit)
		}
		fmt.Fprintln(t, strings.Join([]string{s.Name, list(s.Roles, ", "), s.System, fmt.Sprint(c.CPUs), share(c.BackgroundShare),
			share(c.StealShare), short(c.PauseNS), files, short(s.Offset.RTTNS), "± " + short(s.Offset.BoundNS),
			fmt.Sprintf("%.2g Gbit/s", s.BandwidthPerSec*8/1e9)}, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range states {
		for _, text := range s.Warnings() {
			if _, err := fmt.Fprintf(w, "%s: %s\n", s.Name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// share writes a share in per cent; one below 0 is not known.
func share(v float64) string {
	if v < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

// short writes a time in ns to two digits or so.
func short(ns int64) string {
	switch {
	case ns < 10_000_000:
		return fmt.Sprintf("%.2f ms", float64(ns)/1e6)
	case ns < 1_000_000_000:
		return fmt.Sprintf("%.0f ms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%.1f s", float64(ns)/1e9)
}
