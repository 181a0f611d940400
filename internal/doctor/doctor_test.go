package doctor

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/record"
)

func pointerTo(n int64) *int64 { return &n }

func float(v float64) *float64 { return &v }

// quiet is a calibration on a machine as good as they come.
func quietMachine() *record.Calibration {
	c := &record.Calibration{
		Host: record.Host{OS: "Debian", Kernel: "Linux 6.1.0-9", CPU: "EPYC", CPUs: 8, ServerCPUs: []int{1, 2, 3},
			GeneratorCPUs: []int{4, 5, 6, 7}, Pinned: true,
			Governor: "performance", FileLimit: 1 << 20},
		Facts: record.Facts{SMT: "off", ClockSource: "tsc",
			HardFileLimit: pointerTo(1 << 20), PortLow: pointerTo(1024), PortHigh: pointerTo(65535),
			AvailableBytes: pointerTo(8 << 30), SwapUsedBytes: pointerTo(0)},
		Waiting: &record.Waiting{RatePerSec: 2000, Requests: 3000, Spin: true, LagP50NS: 300, LagP99NS: 30_000,
			LagMaxNS: 90_000, WindowNS: 1.5e9},
		Ceilings: []record.Ceiling{
			{Connections: 1, Pipeline: 1, RatePerSec: 25_000, GeneratorShare: float(.1), ServerShare: float(.1)},
			{Connections: 125, Pipeline: 1, RatePerSec: 150_000, GeneratorShare: float(.99), ServerShare: float(.9)},
			{Connections: 125, Pipeline: 1, PerConnection: 1, RatePerSec: 30_000, GeneratorShare: float(.99),
				ServerShare: float(.9)},
		},
		Delays: []record.KnownDelay{{RoundTripNS: 40_000, ErrorP99NS: 30_000},
			{DelayNS: 1e6, RoundTripNS: 40_000, ErrorP50NS: -5_000, ErrorP99NS: 50_000}},
		Noise: &record.Noise{Servers: []string{"ref", "ref'"}, TrialNS: 1e8, Connections: 125},
	}
	for i := range 20 {
		d := .02 * float64(i%5-2)
		c.Noise.Rounds = append(c.Noise.Rounds, record.NoiseRound{
			Causes:          record.Causes{WallNS: 6e8, ServerCPUs: 3, GeneratorCPUs: 4, BackgroundServerNS: 1e6},
			RatePerSec:      []float64{60_000, 60_000 * math.Exp(d)},
			CPUPerRequestNS: []float64{15_000, 15_000 * math.Exp(d/4)},
		})
	}
	return c
}

func TestQuietMachineNeedsNothing(t *testing.T) {
	d := Diagnose(quietMachine())
	for _, f := range d.findings {
		if f.State == stateWarn || f.State == stateBad || f.Change != "" {
			t.Errorf("%+v", f)
		}
		if f.Group == "" || f.Name == "" || f.Value == "" {
			t.Errorf("incomplete: %+v", f)
		}
	}
	for _, want := range []string{"can detect differences in throughput from about ", "between 6 contestants",
		"cannot rank by p99", "accurate to 50.0 µs", "dyno list"} {
		if !strings.Contains(d.answer, want) {
			t.Errorf("no %q in: %s", want, d.answer)
		}
	}
}

// TestFindings changes one fact about the quiet machine, and checks the finding.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*record.Calibration)
		state  string
		words  string // in value, meaning or change
	}{
		{"CPUs", func(c *record.Calibration) { c.Host.Pinned = false }, stateBad, "at least two CPUs"},
		{"CPUs", func(c *record.Calibration) { c.Host.ServerCPUs = []int{0} }, stateNote, "several CPUs"},
		{"cores", func(c *record.Calibration) { c.Facts.SplitCores = [][]int{{0, 1}} }, stateWarn, "CPUs 0, 1"},
		{"cores", func(c *record.Calibration) { c.Facts.SMT = "" }, stateNote, "does not report"},
		{"frequency governor", func(c *record.Calibration) { c.Host.Governor = "powersave" }, stateWarn, "cpupower"},
		{"frequency governor", func(c *record.Calibration) { c.Host.Governor = "unknown" }, stateNote, "unknown"},
		{"virtual machine", func(c *record.Calibration) { c.Host.Hypervisor = "unnamed" }, stateNote,
			"of an unknown kind"},
		{"CPU quota", func(c *record.Calibration) { c.Host.Quota = "1.5 CPUs (cgroup v2)" }, stateWarn, "1.5 CPUs"},
		{"memory", func(c *record.Calibration) { c.Facts.SwapUsedBytes = pointerTo(1 << 30) }, stateWarn,
			"1.00 GiB swapped out"},
		{"memory", func(c *record.Calibration) { c.Facts.AvailableBytes = pointerTo(1 << 20) }, stateWarn,
			"in memory at once"},
		{"kernel", func(c *record.Calibration) { c.Host.Kernel = "Linux 5.4.0" }, stateWarn, "newer kernel"},
		{"clock source", func(c *record.Calibration) { c.Facts.ClockSource = "hpet" }, stateWarn, "enters the kernel"},
		{"instruction counter", func(c *record.Calibration) {
			c.Host.Absent = map[string]string{"instructions": "not permitted"}
		}, stateNote, "as root"},
		{"open files", func(c *record.Calibration) { c.Host.FileLimit, c.Facts.HardFileLimit = 1024, pointerTo(4096) },
			stateWarn, "4,096"},
		{"ports", func(c *record.Calibration) { c.Facts.PortLow = pointerTo(60_000) }, stateWarn, "ip_local_port_range"},
		{"punctuality", func(c *record.Calibration) { c.Waiting.LagP99NS = 300_000 }, stateWarn, "300 µs"},
		{"punctuality", func(c *record.Calibration) { c.Waiting.LagP99NS, c.Waiting.RunQueueNS = 3e6, 3e8 }, stateBad,
			"20 % of the time"},
		{"125 connections", func(c *record.Calibration) {
			*c.Ceilings[1].GeneratorShare, *c.Ceilings[1].ServerShare = .4, .4
		}, stateNote, "higher"},
		{"125, reconnecting", func(c *record.Calibration) { c.Ceilings[2].Errors = map[string]int64{"dial": 1200} },
			stateWarn, "dial 1,200"},
		{"delay of 1 ms", func(c *record.Calibration) { c.Delays[1].ErrorP99NS = -400_000 }, stateWarn, "−400 µs"},
		{"others, server", func(c *record.Calibration) { c.Noise.Rounds[0].Causes.BackgroundServerNS = 4e9 }, stateWarn,
			"stop other programs"},
		{"disturbed rounds", func(c *record.Calibration) {
			for i := range 6 {
				c.Noise.Rounds[i].Causes.StealNS = 1e9
			}
		}, stateWarn, "6 of 20"},
		{"load to load", func(c *record.Calibration) {
			for i := range c.Noise.Rounds {
				c.Noise.Rounds[i].RatePerSec[1] = 60_000 * math.Pow(c.Noise.Rounds[i].RatePerSec[1]/60_000, 20)
			}
		}, stateWarn, "cannot be detected"},
	} {
		m := quietMachine()
		c.change(m)
		found := false
		for _, f := range Diagnose(m).findings {
			if f.Name != c.name {
				continue
			}
			found = true
			if f.State != c.state || !strings.Contains(f.Value+" "+f.Means+" "+f.Change, c.words) {
				t.Errorf("want %s and %q: %+v", c.state, c.words, f)
			}
		}
		if !found {
			t.Errorf("no finding %q", c.name)
		}
	}
}

func TestBusyMachine(t *testing.T) {
	c := quietMachine()
	for i := range c.Noise.Rounds {
		c.Noise.Rounds[i].Causes.BackgroundServerNS = 3e8
	}
	if a := Diagnose(c).answer; !strings.Contains(a, "is busy now") || strings.Contains(a, "can detect differences") {
		t.Error(a)
	}
}

// TestEmptyCalibration checks the findings that remain if nothing could be measured.
func TestEmptyCalibration(t *testing.T) {
	d := Diagnose(&record.Calibration{})
	var out bytes.Buffer
	if err := d.Text(&out, false, 100); err != nil || !strings.Contains(d.answer, "was not measured") ||
		len(d.expected) > 0 {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := d.JSON(&out); err != nil {
		t.Error(err)
	}
}

func TestExpectations(t *testing.T) {
	c := quietMachine()
	all := expectations(c.Noise)
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	for i, e := range all {
		if e.MDE <= 0 || e.MDE > .5 || e.Epochs < 8 || e.WholeNS <= 0 || e.BudgetNS < e.WholeNS {
			t.Errorf("%+v", e)
		}
		if i > 0 && float64(e.MDE)*math.Sqrt(float64(e.Epochs)) <= float64(all[i-1].MDE)*math.Sqrt(float64(all[i-1].Epochs)) {
			t.Errorf("%d contestants are not harder than %d: %v, %v", e.Contestants, all[i-1].Contestants, e.MDE,
				all[i-1].MDE)
		}
	}
	if all[0].More {
		t.Errorf("two in standard need more than its budget: %+v", all[0])
	}
	c.Noise.Rounds[7].RatePerSec[1] *= 9 // in a discarded round
	c.Noise.Rounds[7].Causes.StealNS = 6e9
	if sigma, _, valid := spread(c.Noise); valid != 19 || sigma > .1 {
		t.Errorf("sigma %v of %d rounds", sigma, valid)
	}
	b, err := json.Marshal(expectation{MDE: document.Number(math.Inf(1)), Contestants: 2})
	if err != nil || !strings.Contains(string(b), `"mde_ratio":null`) ||
		!strings.Contains(string(b), `"contestants":2`) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestPrintDiagnosis(t *testing.T) {
	c := quietMachine()
	c.Host.Governor = "powersave"
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		if err := Diagnose(c).Text(&out, color, 80); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if strings.Contains(text, "\x1b") != color {
			t.Errorf("color %v:\n%q", color, text)
		}
		if color {
			continue
		}
		for _, want := range []string{"Machine\n", "\nNoise now\n", "\nwarn frequency governor: powersave. ",
			"Change: cpupower", "can detect differences"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		for line := range strings.Lines(text) {
			if n := len([]rune(line)); n > 81 && !strings.Contains(line, "from ") &&
				!strings.Contains(line, "four of five runs") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}
