// Package terminal shows on stderr what a run is doing, from the events that it sends.
//
// Invariant: a View writes only while Event or Close is called. It has no goroutine and no clock of its own; time is Event.Time. Events
// come between trials, and the view shares its CPU with the load generator, so that drawing at any other moment would be load on the
// machine that is being measured.
//
// Note: bubbletea was tried on paper and left: its renderer ticks by itself, 60 times a second by default, and reads the keyboard in a
// goroutine; both would run during trials. What remains to do without it is to move the cursor up and draw anew, which is live.go;
// styles and the width of text are lipgloss'.
package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"dyno/internal/document"
	"dyno/internal/report"
	"dyno/internal/result"
)

const (
	drawEvery  = 250 * time.Millisecond // at most, on a TTY, while trials come in
	plainEvery = 10 * time.Second       // progress lines without a TTY
	rowsAtMost = 10                     // of a list, so that the live part fits any terminal
)

// View shows events. On a TTY it redraws a few lines in place; elsewhere it writes plain lines. Not safe for concurrent use.
type View struct {
	out   io.Writer
	tty   bool
	width func() int
	style styles

	started  time.Time
	now      time.Time
	stage    string
	who      string // contestant of the latest event
	text     string
	done     int
	total    int
	left     time.Duration
	tasks    []task // of contestants, until measuring begins
	over     bool   // measuring has begun
	failed   []string
	standing []result.Standing

	seen  map[string]bool // stages, for the plain form
	last  time.Time       // of the last drawing, or of the last plain line of progress
	drawn []int           // widths of the lines that stand on the TTY
}

// task is what is being done with one contestant before the measuring.
type task struct{ who, stage, text string }

type styles struct{ title, faint, bad, bar, line lipgloss.Style }

// New returns a view on out. If tty is set, out must be a terminal that knows the codes CUU, EL and ED of ECMA-48; width is then asked
// for the number of its columns at each drawing, and may be nil for 80. noColor leaves styles out, but not the drawing in place.
func New(out io.Writer, tty bool, noColor bool, width func() int) *View {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(true) // neither is asked of the terminal: an answer would come on stdin
	r.SetColorProfile(termenv.ANSI)
	if noColor || !tty {
		r.SetColorProfile(termenv.Ascii)
	}
	if width == nil {
		width = func() int { return 80 }
	}
	return &View{out: out, tty: tty, width: width, seen: map[string]bool{}, style: styles{
		title: r.NewStyle().Bold(true),
		faint: r.NewStyle().Faint(true),
		bad:   r.NewStyle().Foreground(lipgloss.Color("1")),
		bar:   r.NewStyle().Foreground(lipgloss.Color("6")),
		line:  r.NewStyle().Inline(true),
	}}
}

// Event takes in e and shows what changed. A failure, and what an analysis says, stand on lines of their own that are never overwritten.
func (v *View) Event(e result.Event) {
	changed := v.take(e)
	if v.tty {
		if e.Failure != nil {
			v.keep(v.failure(e.Failure))
		} else if v.stage == "analyse" && v.text != "" {
			v.keep(v.text)
		} else if changed || e.Standing != nil || v.now.Sub(v.last) >= drawEvery {
			v.draw(v.lines())
		}
		return
	}
	v.plain(e, changed)
}

// Close ends the view: the live lines are erased, so that a report can follow. It leaves the writer open.
func (v *View) Close() {
	if v.tty && len(v.drawn) > 0 {
		v.draw(nil)
	}
}

// take brings the view up to date. It reports whether e begins something that could last: a new stage, or before measuring a
// contestant's next one. Such a change is shown at once, for no further event might come for a while.
func (v *View) take(e result.Event) (changed bool) {
	if v.started.IsZero() {
		v.started = e.Time
	}
	v.now = e.Time
	if e.Stage == "measured" { // a trial ended; the next one of the stage follows
		e.Stage = "measure"
	}
	changed = e.Stage != "" && e.Stage != v.stage
	if e.Stage != "" {
		v.stage = e.Stage
	}
	v.who, v.text = document.Clean(e.Contestant), document.Clean(e.Text)
	if e.Total > 0 {
		v.done, v.total, v.left = e.Done, e.Total, e.Left
	}
	if e.Standing != nil {
		v.standing = e.Standing
	}
	switch v.stage {
	case "calibrate", "pilot", "measure", "analyse", "done":
		v.over, v.tasks = true, nil
	}
	if e.Failure != nil {
		v.failed = append(v.failed, document.Clean(e.Failure.Contestant))
		v.tasks = slices.DeleteFunc(v.tasks, func(t task) bool { return t.who == document.Clean(e.Failure.Contestant) })
		return true
	}
	if !v.over && v.who != "" {
		now := task{v.who, v.stage, v.text}
		i := slices.IndexFunc(v.tasks, func(t task) bool { return t.who == v.who })
		if i < 0 {
			v.tasks = append(v.tasks, now)
			return true
		}
		changed = changed || v.tasks[i].stage != now.stage
		v.tasks[i] = now
	}
	if v.over && v.stage == "launch" && e.Contestant != "" {
		changed = true // a managed runtime warms up for seconds
	}
	return changed
}

// plain writes e as a line if it says something new, and progress every few seconds.
func (v *View) plain(e result.Event, changed bool) {
	switch {
	case e.Failure != nil:
		v.print(v.failure(e.Failure))
	case !v.over && v.who != "":
		if changed {
			v.print(join(v.stage, v.who, v.text))
		}
	case !v.seen[v.stage] || v.stage == "analyse" && v.text != "":
		v.seen[v.stage] = true
		v.last = v.now
		v.print(join(v.stage, v.who, v.text))
	case v.total > 0 && v.now.Sub(v.last) >= plainEvery:
		v.last = v.now
		v.print(join(v.stage, v.progress()))
	}
}

func (v *View) print(s string) {
	if s = strings.TrimSpace(s); s != "" {
		fmt.Fprintf(v.out, "[%5s] %s\n", clock(v.now.Sub(v.started)), s)
	}
}

// failure is f on one line, with where its log is.
func (v *View) failure(f *result.Failure) string {
	s := v.style.bad.Render("✗ "+document.Clean(f.Contestant)) + "  " + report.FailureText(f)
	if f.LogFile != "" && !strings.Contains(s, document.Clean(f.LogFile)) { // the hint may name it
		s += " (log: " + document.Clean(f.LogFile) + ")"
	}
	return s
}

// progress says how far the run is and what is left of it.
func (v *View) progress() string {
	s := fmt.Sprintf("%d of %d trials, %d %%", v.done, v.total, 100*min(v.done, v.total)/v.total)
	if v.left > 0 {
		s += ", " + about(v.left) + " left"
	}
	if decided, pairs := v.decided(); pairs > 0 {
		s += fmt.Sprintf(", %d of %d pairs decided", decided, pairs)
	}
	return s
}

// decided counts the run's pairs; every Standing of an event carries the same counts.
func (v *View) decided() (decided, pairs int) {
	if len(v.standing) == 0 {
		return 0, 0
	}
	return v.standing[0].Decided, v.standing[0].Pairs
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ")
}

// clock prints a duration as m:ss or h:mm:ss.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// about prints what is left as roughly as it is known.
func about(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 60:
		return fmt.Sprintf("%d s", int(s+0.5))
	case s < 3600:
		return fmt.Sprintf("%d min", int(s/60+0.5))
	default:
		m := int(s/60 + 0.5)
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}
