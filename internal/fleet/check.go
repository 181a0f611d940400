package fleet

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"dyno/internal/machine"
	"dyno/internal/report"
)

// State is the result of checking one machine and the link to it.
type State struct {
	Name      string
	Roles     []Role
	System    string         // system of its dyno: "linux/amd64"
	Offset    machine.Offset // offset of its clock from the controller's
	Condition Condition
}

// Check examines all machines, one after another.
func (h *Hub) Check(ctx context.Context) ([]State, error) {
	var all []State
	for _, name := range h.All() {
		var other machine.Other
		if err := h.pings(ctx, name, &other, trips); err != nil {
			return nil, err
		}
		offset := other.At(h.now())
		c, err := ask(ctx, h, name, examine, Done{}, patience)
		if err != nil {
			return nil, err
		}
		all = append(all, State{name, h.fleet.Roles(name), h.Hello(name).System, offset, c})
	}
	return all, nil
}

// Limits for a machine and its link; a check warns above them.
const (
	wideBound      = time.Millisecond // limit for the clock: starts must be known to 1 ms
	longPause      = 5 * time.Millisecond
	muchBackground = 0.05
	fewFiles       = 4096
)

// Warnings describes obstacles to a load from this machine, and what to do.
func (s *State) Warnings() (all []string) {
	c := &s.Condition
	for _, w := range []struct {
		is   bool
		text string
	}{
		{s.Offset.BoundNS > int64(wideBound), "its clock is known to ± " + short(s.Offset.BoundNS) + " only, so " +
			"is the start of " +
			"its load; use a link with a shorter round trip"},
		{c.BackgroundShare > muchBackground, "other programs used " + share(c.BackgroundShare) + " of its CPUs; stop them"},
		{c.StealShare > muchBackground, "its hypervisor gave " + share(c.StealShare) + " of the CPUs' time to " +
			"other machines; use " +
			"one with CPUs of its own"},
		{c.PauseNS > int64(longPause), "a sleep of 1 ms took " + short(c.PauseNS) + " longer; latencies above " +
			"that are its own, " +
			"not the server's"},
		{c.FileLimit > 0 && c.FileLimit < fewFiles, fmt.Sprintf("it may open %d files, and so fewer connections; "+
			"raise the limit "+
			"(ulimit -n, LimitNOFILE= of systemd)", c.FileLimit)},
	} {
		if w.is {
			all = append(all, w.text)
		}
	}
	return all
}

// Write writes the states as a table, and each warning on a line.
func Write(w io.Writer, states []State) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "machine\troles\tsystem\tCPUs\tbackground\tsteal\tlongest pause\topen files\tround trip\tclock")
	for _, s := range states {
		c := &s.Condition
		files := "unlimited"
		if c.FileLimit > 0 && c.FileLimit < math.MaxInt32 {
			files = fmt.Sprint(c.FileLimit)
		}
		fmt.Fprintln(t, strings.Join([]string{s.Name, list(s.Roles, ", "), s.System, fmt.Sprint(c.CPUs),
			share(c.BackgroundShare),
			share(c.StealShare), short(c.PauseNS), files, short(s.Offset.RTTNS), "± " + short(s.Offset.BoundNS)}, "\t"))
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

// share formats a share in per cent; a share below 0 is unknown.
func share(v float64) string {
	if v < 0 {
		return "unknown"
	}
	return report.PerCent(v)
}

// short formats a time in ns.
func short(ns int64) string { return report.Duration(float64(ns)) }
