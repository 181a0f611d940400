package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/record"
)

// A TerminalView writes only while Event or Close is called. It has no goroutine and no clock; time is Event.Time.
// Events come between trials, and the view shares its CPU with the load generator: drawing at any other moment
// would put load on the measured machine.

const (
	drawEvery  = 250 * time.Millisecond // minimum interval, on a TTY, while trials come in
	plainEvery = 10 * time.Second       // interval between progress lines without a TTY
)

// firstFigures is not a stage, but is shown at once like one.
const firstFigures = "first figures"

// TerminalView shows events. On a TTY its last line shows the present, and is replaced in place; elsewhere
// it writes more lines. It is not safe for concurrent use.
type TerminalView struct {
	Folder string // run folder, to which log paths are relative

	out   io.Writer
	tty   bool
	width func() int

	started, now     time.Time         // times of the first and the latest event
	stage, who, text string            // stage in the latest event; who is its contestant
	done, total      int               // number of trials
	left             time.Duration     // time left, as shown
	stages           map[string]string // each contestant's stage, until measuring begins
	measuring        bool              // measuring has begun
	standing         []record.Standing

	seen  map[string]bool // stages, for the plain form
	last  time.Time       // the last drawing, or the last plain progress line
	drawn bool            // the last line shows the present
}

// New returns a view on out. If tty is set, out must be a terminal that knows the code EL (ECMA-48).
// Each drawing calls width for the number of columns; nil means 80.
func New(out io.Writer, tty bool, width func() int) *TerminalView {
	if width == nil {
		width = func() int { return 80 }
	}
	return &TerminalView{out: out, tty: tty, width: width, seen: map[string]bool{}, stages: map[string]string{}}
}

// Event adds e and shows the changes. A failure or an analysis result gets its own line, which is
// never overwritten.
func (v *TerminalView) Event(e record.Event) {
	changed := v.take(e)
	switch {
	case e.Failure != nil:
		v.print(v.failure(e.Failure))
	case v.stage == "analyse" && v.text != "":
		v.last = v.now
		v.print(join(v.text, v.newLeader(e)))
	case !v.tty:
		v.plain(e, changed)
	case changed || e.Standing != nil || v.now.Sub(v.last) >= drawEvery:
		v.draw(join(v.stage, v.who, v.text, v.progress(), v.leader()))
	}
}

// Close ends the view: it erases the line that shows the present, so that a report can follow. It leaves the
// writer open.
func (v *TerminalView) Close() {
	if v.drawn {
		io.WriteString(v.out, "\r\x1b[K") // EL: erase to the end of the line
		v.drawn = false
	}
}

// draw replaces the line that shows the present, and cuts it at the terminal's width.
func (v *TerminalView) draw(s string) {
	s = fmt.Sprintf("[%5s] %s", clock(v.now.Sub(v.started)), s)
	fmt.Fprintf(v.out, "\r%s\x1b[K", document.Cut(s, max(1, v.width()-1))) // a full line would make the cursor wrap
	v.drawn, v.last = true, v.now
}

// take updates the view. It reports whether e begins something that could last: a new stage or,
// before measuring, a contestant's next one. Such a change is shown at once, because the next event
// may come much later.
func (v *TerminalView) take(e record.Event) (changed bool) {
	if v.started.IsZero() {
		v.started = e.Time
	}
	v.now = e.Time
	if e.Stage == "measured" { // a trial ended; the stage's next one follows
		e.Stage = "measure"
	}
	if e.Stage != "" && e.Stage != v.stage {
		v.stage, changed = e.Stage, true
	}
	v.who, v.text = document.Clean(e.Contestant), document.Clean(e.Text)
	if e.Total > 0 {
		v.done, v.total = min(max(v.done, e.Done), e.Total), e.Total // repeated trials were counted
		v.remaining(e.Left)
	}
	if e.Standing != nil {
		v.standing = e.Standing
	}
	switch v.stage {
	case "calibrate", "launch", "warm up", "pilot", "measure", "analyse", "done":
		v.measuring = true
	}
	if e.Failure != nil || v.who == "" {
		return changed
	}
	if v.measuring { // a launch lasts, too: a managed runtime warms up for seconds
		return changed || v.stage == "launch"
	}
	changed = changed || v.stages[v.who] != v.stage
	v.stages[v.who] = v.stage
	return changed
}

// plain writes e as a line if it is news, and progress every few seconds.
func (v *TerminalView) plain(e record.Event, changed bool) {
	switch {
	case !v.measuring && v.who != "":
		if changed {
			v.print(join(v.stage, v.who, v.text))
		}
	case !v.seen[v.stage]:
		v.seen[v.stage] = true
		v.last = v.now
		v.print(join(v.stage, v.who, v.text, v.newLeader(e)))
	case v.total > 0 && (v.now.Sub(v.last) >= plainEvery || e.Standing != nil && !v.seen[firstFigures]):
		v.seen[firstFigures] = v.seen[firstFigures] || e.Standing != nil
		v.last = v.now
		v.print(join(v.stage, v.text, v.progress(), v.leader()))
	}
}

// print writes a line that stays, with the time since the start.
func (v *TerminalView) print(s string) {
	if s = strings.TrimSpace(s); s != "" {
		v.Close()
		fmt.Fprintf(v.out, "[%5s] %s\n", clock(v.now.Sub(v.started)), s)
	}
}

// failure returns f on one line, with its log's path; after a build the log's last lines follow.
func (v *TerminalView) failure(f *record.Failure) string {
	s := "✗ " + document.Clean(f.Contestant) + "  " + FailureText(f)
	if f.LogFile != "" && !strings.Contains(s, document.Clean(f.LogFile)) { // the hint may name it
		s += " (log: " + document.Clean(filepath.Join(v.Folder, f.LogFile)) + ")"
	}
	if f.Stage == "build" {
		for _, line := range f.LogTail {
			s += "\n        " + document.Clean(line)
		}
	}
	return s
}

// remaining updates the time left. The shown time rises only by more than a tenth.
func (v *TerminalView) remaining(left time.Duration) {
	if left <= v.left || left > v.left+v.left/10 {
		v.left = left
	}
}

// progress returns the number of trials done and the time left; "" before the first trial.
func (v *TerminalView) progress() string {
	if v.total == 0 {
		return ""
	}
	s := fmt.Sprintf("%d of about %d trials at most", v.done, v.total)
	if v.left > 0 {
		s += ", up to " + about(v.left) + " left"
	}
	return s
}

// newLeader returns leader's sentence if the event changes the standings.
func (v *TerminalView) newLeader(e record.Event) string {
	if e.Standing == nil {
		return ""
	}
	return v.leader()
}

// leader returns a sentence about the leading contestant so far, and its ratios to the next ones,
// with the rates of all.
func (v *TerminalView) leader() string {
	const others = 3
	if len(v.standing) < 2 || !strings.HasPrefix(v.standing[0].Of, ToBest) {
		return ""
	}
	first := v.standing[0]
	leads := " leads"
	if slices.ContainsFunc(v.standing, func(s record.Standing) bool { return s.Ratio == 0 }) {
		leads = ""
	}
	s := "so far " + document.Clean(first.Name) + leads + strings.TrimPrefix(first.Of, ToBest) + " (" +
		Rate(first.PerSec) + ")"
	for i, next := range v.standing[1:min(len(v.standing), 1+others)] {
		name := document.Clean(next.Name) + " not comparable"
		if next.Ratio > 0 {
			name = document.Sig3(next.Ratio) + " × " + document.Clean(next.Name)
		}
		s += []string{": ", ", "}[min(i, 1)] + name + " (" + Rate(next.PerSec) + ")"
	}
	return s
}

// join puts two blanks between the parts that are not empty.
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

// about prints an estimated time, rounded to its unit.
func about(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	m := int(d.Minutes() + 0.5)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", s)
	case d < time.Hour:
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d h %d min", m/60, m%60)
}
