package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
)

// TestMain acts as a reference server if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "refserver" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serve(name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	control, ok, err := refserver.ParseControl(name)
	if !ok || err != nil {
		return fmt.Errorf("%q: %v", name, err)
	}
	addr := os.Getenv("DYNO_ADDR")
	if control.Null {
		null, _, err := refserver.NullOf(value())
		if err != nil {
			return err
		}
		null.Manner = control.Manner
		tally, err := null.Serve(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stderr).Encode(tally)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	ref := refserver.Reference{Scenario: value(),
		Turns: refserver.TurnsFor(time.Duration(control.Extra * float64(refserver.RefCost)))}
	return ref.Serve(ctx, ln)
}

func value() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "value", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/", Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body},
	}}}
}

// tiny is long enough for every step to measure something, and too short for any result to mean
// anything.
func tiny(t *testing.T) CalibrationOptions {
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return CalibrationOptions{Dyno: "test", Self: []string{self, "refserver"}, Scenario: value(), Times: &Times{
		Lag:     50 * time.Millisecond,
		Ceiling: 20 * time.Millisecond, Shapes: full.Shapes,
		Delay: 50 * time.Millisecond, Warm: 10 * time.Millisecond,
		Trial: 10 * time.Millisecond, Rounds: 6, Servers: 4,
	}}
}

// TestMeasure takes every step and looks at shapes and signs, never at speed.
func TestMeasure(t *testing.T) {
	o := tiny(t)
	steps := 0
	o.Note = func(string) { steps++ }
	c, err := Calibrate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	leftBehind(t)
	if steps < 10 || c.EndedUnixNS <= c.StartedUnixNS || c.BootID == "" || c.Dyno != "test" ||
		len(c.Host.ServerCPUs) == 0 {
		t.Errorf("%d steps, %+v", steps, c)
	}
	if w := c.Waiting; w == nil || w.Requests == 0 || w.LagP50NS < 0 || w.LagP99NS < w.LagP50NS || w.LagMaxNS <= 0 ||
		w.Spin && !c.Host.Pinned {
		t.Errorf("waiting %+v", w)
	}
	if len(c.Ceilings) != len(full.Shapes) {
		t.Fatalf("%d ceilings", len(c.Ceilings))
	}
	for i, x := range c.Ceilings {
		if (Shape{x.Connections, x.Pipeline, x.PerConnection}) != full.Shapes[i] || x.RatePerSec <= 0 ||
			x.Succeeded == 0 || x.WindowNS <= 0 || *x.GeneratorShare < 0 || *x.ServerShare <= 0 {
			t.Errorf("ceiling %+v", x)
		}
	}
	if len(c.Delays) != len(knownDelays) {
		t.Fatalf("%d delays", len(c.Delays))
	}
	for i, d := range c.Delays {
		// The server also counts the request that found it ready, so one median has one request
		// more.
		if d.DelayNS != int64(knownDelays[i]) || d.Requests == 0 || d.TrueP50NS < d.DelayNS || d.TrueP99NS < d.TrueP50NS ||
			d.SeenP99NS < d.TrueP50NS {
			t.Errorf("delay %+v", d)
		}
		if first := c.Delays[0]; d.RoundTripNS != first.SeenP50NS-first.TrueP50NS ||
			d.ErrorP50NS != d.SeenP50NS-d.TrueP50NS-d.RoundTripNS {
			t.Errorf("delay %+v with a round trip of %d", d, first.SeenP50NS-first.TrueP50NS)
		}
	}
	checkRounds(t, c)
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

func checkRounds(t *testing.T, c *record.Calibration) {
	t.Helper()
	if c.Noise == nil || len(c.Noise.Rounds) != 6 || len(c.Noise.Servers) != 4 {
		t.Fatalf("noise %+v", c.Noise)
	}
	for _, r := range c.Noise.Rounds {
		if r.Causes.WallNS <= 0 || r.Causes.ServerCPUs == 0 || len(r.RatePerSec) != 4 ||
			slices.Min(r.RatePerSec) < 0 || slices.Max(r.RatePerSec) <= 0 || len(r.CPUPerRequestNS) != 4 ||
			slices.Min(r.CPUPerRequestNS) < 0 { // on a busy machine a server may answer nothing in such short loads
			t.Errorf("round %+v", r)
		}
	}
}

// TestMeasureInterrupted ends in the middle of a step: no process is left, and the settings are
// there.
func TestMeasureInterrupted(t *testing.T) {
	o := tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Times.Delay = time.Minute
	o.Note = func(text string) {
		if strings.HasPrefix(text, "known delay") {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
	}
	c, err := Calibrate(ctx, o)
	if err == nil || c == nil || len(c.Host.ServerCPUs) == 0 || c.Waiting == nil || c.Noise != nil {
		t.Errorf("%+v, %v", c, err)
	}
	leftBehind(t)
}

// TestMeasureFails has a server that cannot be started.
func TestMeasureFails(t *testing.T) {
	o := tiny(t)
	o.Self = []string{"/bin/false"}
	if c, err := Calibrate(t.Context(), o); err == nil || !strings.Contains(err.Error(), "start null") || c == nil ||
		c.Facts.PortLow == nil {
		t.Errorf("%v", err)
	}
	leftBehind(t)
}

// leftBehind looks for remains of a calibration: processes whose home lies in our folder for
// temporary files, and folders in it.
func leftBehind(t *testing.T) {
	t.Helper()
	dir := os.Getenv("TMPDIR")
	if left, _ := filepath.Glob(filepath.Join(dir, "dyno-calibration-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	procs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range procs {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if bytes.Contains(env, []byte("HOME="+dir)) {
			cmd, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
			t.Errorf("left behind: %s %s", e.Name(), bytes.ReplaceAll(cmd, []byte{0}, []byte{' '}))
		}
	}
}
