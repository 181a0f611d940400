package doctor

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/report"
)

// setting is a setting of the machine with its possible values.
type setting struct {
	name string
	read func(*record.Calibration) string
	is   []outcome // the first outcome whose values include the setting's
}

// outcome is the finding for some values of a setting.
type outcome struct {
	values        []string // nil: any other
	state, shown  string   // shown is printed in place of the value; %s in it stands for the value
	means, change string
}

// finding judges the setting in a calibration.
func (s *setting) finding(c *record.Calibration) finding {
	value := s.read(c)
	i := slices.IndexFunc(s.is, func(o outcome) bool { return o.values == nil || slices.Contains(o.values, value) })
	o := s.is[i]
	if o.shown != "" {
		value = strings.Replace(o.shown, "%s", value, 1)
	}
	return finding{Name: s.name, State: o.state, Value: value, Means: o.means, Change: o.change}
}

var (
	governor = setting{"frequency governor", func(c *record.Calibration) string { return c.Host.Governor }, []outcome{
		{[]string{"performance"}, stateOK, "", "", ""},
		{[]string{"unknown", ""}, stateNote, "unknown",
			"the CPUs' speed may change unnoticed; dyno compares only measurements taken within seconds of each other", ""},
		{nil, stateWarn, "", "the CPUs' speed follows their load: a less busy server runs on slower CPUs",
			"cpupower frequency-set --governor performance"},
	}}
	hypervisor = setting{"virtual machine", func(c *record.Calibration) string { return c.Host.Hypervisor }, []outcome{
		{[]string{""}, stateOK, "none detected", "", ""},
		{[]string{"unnamed"}, stateNote, "yes, of an unknown kind", virtualMeans, ""},
		{nil, stateNote, "yes, %s", virtualMeans, ""},
	}}
	quota = setting{"CPU quota", func(c *record.Calibration) string { return c.Host.Quota }, []outcome{
		{[]string{""}, stateOK, "none", "", ""},
		{nil, stateWarn, "", "a program that uses it up is stopped for the rest of a period of 0.1 s",
			"remove the limit of this container or service (docker --cpus, systemd CPUQuota=), or pin it to CPUs instead"},
	}}
	clockSource = setting{"clock source", func(c *record.Calibration) string { return c.Facts.ClockSource }, []outcome{
		{[]string{"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource"},
			stateOK, "", "", ""},
		{[]string{""}, stateNote, "unknown", "", ""},
		{nil, stateWarn, "", "each read enters the kernel, which slows the generator and every server that reads the time",
			"echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource, if available_clocksource in " +
				"that folder lists tsc"},
	}}
)

const virtualMeans = "others on the same hardware can slow it down unnoticed: absolute figures drift by 10 % and " +
	"more, ratios within a round do not"

// machineFindings returns findings about the hardware, physical or virtual.
func machineFindings(c *record.Calibration) []finding {
	return []finding{cpuFinding(&c.Host), coresFinding(&c.Host, &c.Facts), governor.finding(c), hypervisor.finding(c),
		quota.finding(c), memoryFinding(&c.Facts)}
}

func cpuFinding(h *record.Host) finding {
	cpus := fmt.Sprintf("%s, %d CPUs", h.CPU, h.CPUs)
	if !h.Pinned {
		return finding{Name: "CPUs", State: stateBad,
			Value: fmt.Sprintf("%s, of which dyno may use %d; server and generator are not separated", cpus,
				len(h.ServerCPUs)),
			Means: "each slows the other, so measurements reflect both", Change: "give dyno at least two CPUs"}
	}
	r := finding{Name: "CPUs", State: stateOK, Value: fmt.Sprintf("%s: the server on %s, the generator on %s", cpus,
		document.Numbers(h.ServerCPUs), document.Numbers(h.GeneratorCPUs))}
	if len(h.ServerCPUs) == 1 {
		r.State, r.Means = stateNote, "this machine cannot show how a server uses several CPUs"
	}
	return r
}

func coresFinding(h *record.Host, f *record.Facts) finding {
	r := finding{Name: "cores", State: stateOK, Value: "server and generator share no core"}
	switch {
	case len(f.SplitCores) > 0:
		var cores []string
		for _, core := range f.SplitCores {
			cores = append(cores, document.Numbers(core))
		}
		return finding{Name: "cores", State: stateWarn,
			Value:  "server and generator share a core: CPUs " + strings.Join(cores, "; "),
			Means:  "each slows the other by using the same execution units, which no counter shows",
			Change: "give dyno two cores, or disable hyper-threading: echo off >/sys/devices/system/cpu/smt/control"}
	case f.SMT == "":
		r.State, r.Value = stateNote, "the machine does not report which CPUs share a core"
	case h.Hypervisor != "":
		r.State, r.Means = stateNote, "as reported; a virtual machine may not know"
	}
	return r
}

func memoryFinding(f *record.Facts) finding {
	if f.AvailableBytes == nil {
		return finding{Name: "memory", State: stateNote, Value: "unknown"}
	}
	r := finding{Name: "memory", State: stateOK, Value: report.Bytes(float64(*f.AvailableBytes)) + " available"}
	if used := f.SwapUsedBytes; used != nil {
		swapped := "nothing"
		if *used > 0 {
			swapped = report.Bytes(float64(*used))
		}
		r.Value += ", " + swapped + " swapped out"
	}
	switch {
	case known(f.SwapUsedBytes) > 64<<20:
		r.State, r.Means = stateWarn, "if a contestant's memory is read back from disk, the disk is measured too"
		r.Change = "stop programs that need much memory, then swapoff -a && swapon -a"
	case *f.AvailableBytes < 1<<30:
		r.State, r.Means = stateWarn, "all contestants of a run are in memory at once"
		r.Change = "stop programs that need much memory, or run fewer --contestants"
	}
	return r
}

// kernelFindings returns findings about kernel settings and counters.
func kernelFindings(c *record.Calibration) []finding {
	out := []finding{kernelFinding(&c.Host), clockSource.finding(c)}
	r := finding{Name: "instruction counter", State: stateOK, Value: "present"}
	if why, absent := c.Host.Absent["instructions"]; absent {
		r.State, r.Value, r.Means = stateNote, "absent: "+why, "instructions per request are left out of the results"
		if strings.Contains(why, "paranoid") || strings.Contains(why, "permi") {
			r.Change = "as root: sysctl kernel.perf_event_paranoid=1"
		}
	}
	return append(out, r)
}

func kernelFinding(h *record.Host) finding {
	r := finding{Name: "kernel", State: stateOK, Value: h.Kernel + ", " + h.OS}
	var major, minor int
	if _, err := fmt.Sscanf(h.Kernel, "Linux "+
		"%d.%d", &major, &minor); err == nil && (major < 5 || major == 5 && minor < 11) {
		r.State, r.Means = stateWarn, "before 5.11, waits have a resolution of 1 ms, so open loops send late"
		r.Change = "use a newer kernel"
	}
	return r
}

// known returns *p, or 0 if p is nil.
func known(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}
