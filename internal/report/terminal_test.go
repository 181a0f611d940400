package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// screen is a terminal that knows the codes that a View sends: LF as CR LF, CR and EL 0. Lines that are too
// long wrap, and nothing scrolls away.
type screen struct {
	t      *testing.T
	width  int
	rows   [][]rune
	x, y   int
	writes int
}

func (s *screen) Write(p []byte) (int, error) {
	s.writes++
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		switch r := text[i]; r {
		case '\n':
			s.x, s.y = 0, s.y+1
		case '\r':
			s.x = 0
		case 0x1b:
			i += s.escape(text[i:])
		default:
			if s.x == s.width {
				s.x, s.y = 0, s.y+1
			}
			s.row()[s.x] = r
			s.x++
		}
	}
	return len(p), nil
}

// escape obeys the code at the head of text and returns the number of runes after ESC.
func (s *screen) escape(text []rune) int {
	n := 2
	for text[n] == ';' || text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if text[n] != 'K' {
		s.t.Fatalf("code that the screen does not know: %q", string(text[:n+1]))
	}
	clear(s.row()[s.x:])
	return n
}

func (s *screen) row() []rune {
	for len(s.rows) <= s.y {
		s.rows = append(s.rows, make([]rune, s.width))
	}
	return s.rows[s.y]
}

func (s *screen) String() string {
	var b strings.Builder
	for _, r := range s.rows {
		b.WriteString(strings.TrimRight(strings.ReplaceAll(string(r), "\x00", " "), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func at(seconds float64, e record.Event) record.Event {
	e.Time = start.Add(time.Duration(seconds * float64(time.Second)))
	return e
}

// story is a run with three contestants, one without a toolchain and one that fails in the second
// epoch.
func story() (before, after []record.Event) {
	before = []record.Event{
		at(0, record.Event{Stage: "toolchain", Contestant: "kestrel"}),
		at(0.01, record.Event{Stage: "toolchain", Contestant: "kestrel", Failure: &record.Failure{Contestant: "kestrel",
			Stage:  "toolchain",
			Reason: "needs .NET SDK >=10.0", Hint: "install it or set DYNO_DOTNET"}}),
		at(0.02, record.Event{Stage: "build", Contestant: "iris", Text: "go build"}),
		at(0.03, record.Event{Stage: "build", Contestant: "gin", Text: "go build"}),
		at(0.04, record.Event{Stage: "build", Contestant: "hyper", Text: "cargo build --release"}),
		at(4, record.Event{Stage: "verify", Contestant: "iris", Text: "12 requests"}),
		at(4.1, record.Event{Stage: "built", Contestant: "gin"}),
	}
	after = []record.Event{
		at(20, record.Event{Stage: "calibrate", Text: "null server"}),
		at(21, record.Event{Stage: "analyse",
			Text: "the measurement begins: one analysis, after 12 epochs"}),
		at(22, record.Event{Stage: "launch", Contestant: "iris", Total: 300, Left: 3 * time.Minute}),
	}
	for i := range 100 {
		e := record.Event{Stage: "measure", Contestant: []string{"iris", "gin", "hyper"}[i%3],
			Text: fmt.Sprintf("epoch %d", i/30),
			Done: i + 1, Total: 300, Left: time.Duration(200-i) * time.Second, Trial: &record.Trial{}}
		if i > 80 {
			e.Left = e.Left * 3 / 2
		}
		if i%2 == 1 {
			e.Stage = "measured"
		}
		if i%30 == 29 {
			e.Standing = []record.Standing{
				{Name: "hyper", PerSec: 91412, Ratio: 1, Of: ToBest},
				{Name: "iris", PerSec: 84600, Ratio: 1.097, Lo: 0, Hi: math.Inf(1), Of: ToBest},
				{Name: "gin", PerSec: 84100, Ratio: 1.105, Lo: 1.09, Hi: 1.12, Of: ToBest},
			}
		}
		after = append(after, at(24+0.5*float64(i), e))
		if i == 70 {
			after = append(after, at(24+0.5*float64(i)+0.1, record.Event{Stage: "measure", Contestant: "gin", Done: 71,
				Total: 300,
				Failure: &record.Failure{Contestant: "gin", Stage: "load", Epoch: 2,
					Reason: "3 responses broke\x1b[2J the contract", LogFile: "logs/gin-2.log"}}))
		}
	}
	return before, after
}

func TestPlain(t *testing.T) {
	var b bytes.Buffer
	v := New(&b, false, nil)
	before, after := story()
	for _, e := range append(before, after...) {
		v.Event(e)
	}
	v.Event(at(79, record.Event{Stage: "analyse", Text: "now four loads of 2s show whether short ones mislead:",
		Standing: v.standing}))
	v.Event(at(80, record.Event{Stage: "done"}))
	v.Close()
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape code without a TTY")
	}
	golden(t, "plain.txt", b.String())
}

func TestScreen(t *testing.T) {
	for _, width := range []int{80, 34} {
		s := &screen{t: t, width: width}
		v := New(s, true, func() int { return s.width })
		before, after := story()
		for _, e := range before {
			v.Event(e)
		}
		golden(t, fmt.Sprintf("building-%d.txt", width), s.String())
		for _, e := range after {
			v.Event(e)
		}
		golden(t, fmt.Sprintf("measuring-%d.txt", width), s.String())
		v.Close()
		golden(t, fmt.Sprintf("closed-%d.txt", width), s.String())
	}
}

// A failure's log has a path that can be opened.
func TestLogOfFailure(t *testing.T) {
	var b bytes.Buffer
	v := New(&b, false, nil)
	v.Folder = "runs/7"
	v.Event(at(0, record.Event{Stage: "launch", Contestant: "gin", Failure: &record.Failure{Contestant: "gin",
		Stage: "launch", Reason: "it exited", LogFile: "logs/gin-epoch0.log"}}))
	if !strings.Contains(b.String(), "(log: runs/7/logs/gin-epoch0.log)") {
		t.Error(b.String())
	}
}

// The trial count never falls: a discarded trial is counted again once its repetition is.
func TestCount(t *testing.T) {
	var b bytes.Buffer
	v := New(&b, false, nil)
	for i, n := range [][2]int{{10, 1000}, {204, 1000}, {200, 910}, {206, 910}} {
		v.Event(at(float64(20*i), record.Event{Stage: "measure", Done: n[0], Total: n[1]}))
	}
	want := `[ 0:00] measure
[ 0:20] measure  204 of about 1000 trials at most
[ 0:40] measure  204 of about 910 trials at most
[ 1:00] measure  206 of about 910 trials at most
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// The shown time left rises by more than a tenth or not at all.
func TestTimeLeft(t *testing.T) {
	v := New(&bytes.Buffer{}, false, nil)
	for _, c := range []struct {
		left, shown int
	}{{200, 200}, {190, 190}, {205, 190}, {210, 210}, {195, 195}, {189, 189}, {250, 250}, {100, 100}} {
		v.Event(at(0, record.Event{Stage: "measure", Done: 1, Total: 9, Left: time.Duration(c.left) * time.Second}))
		if shown := int(v.left.Seconds()); shown != c.shown {
			t.Errorf("%d s left: %d s, want %d s", c.left, shown, c.shown)
		}
	}
}

func TestThrottle(t *testing.T) {
	s := &screen{t: t, width: 80}
	v := New(s, true, nil)
	v.Event(at(0, record.Event{Stage: "measure", Done: 1, Total: 1000}))
	s.writes = 0
	for i := range 1000 { // ten seconds of 10 ms trials
		v.Event(at(0.01*float64(i+1), record.Event{Stage: []string{"measure", "measured"}[i%2], Contestant: "a",
			Done: i, Total: 1000, Trial: &record.Trial{}}))
	}
	if s.writes > 40 || s.writes < 35 {
		t.Errorf("%d writes in 10 s; want about 4 a second", s.writes)
	}
	if v.Close(); s.String() != "\n" {
		t.Errorf("after Close there stands %q", s)
	}
}

// Nobody leads where a server's rate is not comparable.
func TestLeader(t *testing.T) {
	for ratio, want := range map[float64]string{2: "so far a leads (100/s): 2.00 × b (50.0/s)",
		0: "so far a (100/s): b not comparable (50.0/s)"} {
		v := TerminalView{standing: []record.Standing{{Name: "a", PerSec: 100, Ratio: 1, Of: ToBest},
			{Name: "b", PerSec: 50, Ratio: ratio, Of: ToBest}}}
		if got := v.leader(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
