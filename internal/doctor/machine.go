package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/report"
)

// machineFindings returns findings about the hardware, physical or virtual.
func machineFindings(c *record.Calibration) []finding {
	const group = "Machine"
	h, f := &c.Host, &c.Facts
	return []finding{
		cpuFinding(group, h),
		smtFinding(group, h, f),
		governorFinding(group, h),
		turboFinding(group, f),
		hypervisorFinding(group, h),
		quotaFinding(group, h),
		memoryFinding(group, f),
	}
}

func cpuFinding(group string, h *record.Host) finding {
	r := finding{Group: group, Name: "CPUs", State: stateOK,
		Value: fmt.Sprintf("%s, %d CPUs: the server on %s, the generator on %s", h.CPU, h.CPUs,
			document.Numbers(h.ServerCPUs, ","), document.Numbers(h.GeneratorCPUs, ","))}
	switch {
	case !h.Pinned:
		r.State = stateBad
		r.Value = fmt.Sprintf("%s, %d CPUs, of which dyno may use %d; server and generator are not separated", h.CPU,
			h.CPUs, len(h.ServerCPUs))
		r.Means = "each slows the other, so measurements reflect both"
		r.Change = "give dyno at least two CPUs"
	case len(h.ServerCPUs) == 1:
		r.State = stateNote
		r.Means = "this machine cannot show how a server uses several CPUs"
	}
	return r
}

func smtFinding(group string, h *record.Host, f *record.Facts) finding {
	r := finding{Group: group, Name: "cores", State: stateOK, Value: "server and generator share no core"}
	switch {
	case len(f.SplitCores) > 0:
		var cores []string
		for _, core := range f.SplitCores {
			cores = append(cores, document.Numbers(core, " and "))
		}
		r.State, r.Value = stateWarn, "server and generator share a core: CPUs "+strings.Join(cores, ", ")
		r.Means = "each slows the other by using the same execution units, which no counter shows"
		r.Change = "give dyno two cores, or disable hyper-threading: echo off >/sys/devices/system/cpu/smt/control"
	case f.SMT == "":
		r.State, r.Value = stateNote, "the machine does not report which CPUs share a core"
	case h.Hypervisor != "":
		r.State, r.Means = stateNote, "as reported; a virtual machine may not know"
	}
	return r
}

func governorFinding(group string, h *record.Host) finding {
	r := finding{Group: group, Name: "frequency governor", State: stateOK, Value: h.Governor}
	switch {
	case h.Governor == "performance":
	case h.Governor == "unknown" || h.Governor == "":
		r.State, r.Value, r.Means = stateNote, "unknown", "the CPUs' speed may change unnoticed; dyno compares "+
			"only measurements taken within seconds of each other"
	default:
		r.State, r.Means = stateWarn, "the CPUs' speed follows their load: a less busy server runs on slower CPUs"
		r.Change = "cpupower frequency-set --governor performance"
	}
	return r
}

func turboFinding(group string, f *record.Facts) finding {
	r := finding{Group: group, Name: "turbo", State: stateOK, Value: f.Turbo}
	switch f.Turbo {
	case "on":
		r.State, r.Means = stateNote,
			"the speed depends on temperature and on other cores: absolute figures drift, ratios do not"
		r.Change = "for steadier figures: echo 0 >/sys/devices/system/cpu/cpufreq/boost (Intel: echo 1 " +
			">/sys/devices/system/cpu/intel_pstate/no_turbo)"
	case "":
		r.State, r.Value = stateNote, "unknown"
	}
	return r
}

func hypervisorFinding(group string, h *record.Host) finding {
	r := finding{Group: group, Name: "virtual machine", State: stateOK, Value: "none detected"}
	if h.Hypervisor != "" {
		r.State, r.Value = stateNote, "yes, "+h.Hypervisor
		if h.Hypervisor == "unnamed" {
			r.Value = "yes, of an unknown kind"
		}
		r.Means = "others on the same hardware can slow it down unnoticed: absolute figures drift by 10 % and " +
			"more, ratios within a round do not"
	}
	return r
}

func quotaFinding(group string, h *record.Host) finding {
	r := finding{Group: group, Name: "CPU quota", State: stateOK, Value: "none"}
	if h.Quota != "" {
		r.State, r.Value = stateWarn, h.Quota
		r.Means = "a program that uses it up is stopped for the rest of a period of 0.1 s"
		r.Change = "remove the limit of this container or service (docker --cpus, systemd CPUQuota=), or pin it to " +
			"CPUs instead"
	}
	return r
}

func memoryFinding(group string, f *record.Facts) finding {
	r := finding{Group: group, Name: "memory", State: stateOK}
	if f.AvailableBytes == nil {
		r.State, r.Value = stateNote, "unknown"
		return r
	}
	r.Value = report.Bytes(float64(*f.AvailableBytes)) + " available"
	switch used := known(f.SwapUsedBytes); {
	case used > 64<<20:
		r.State, r.Value = stateWarn, r.Value+", "+report.Bytes(float64(used))+" swapped out"
		r.Means = "if a contestant's memory is read back from disk, the disk is measured too"
		r.Change = "stop programs that need much memory, then swapoff -a && swapon -a"
	case *f.AvailableBytes < 1<<30:
		r.State, r.Means, r.Change = stateWarn, "all contestants of a run are in memory at once",
			"stop programs that need much memory, or run fewer --contestants"
	case f.SwapUsedBytes != nil:
		r.Value += ", nothing swapped out"
		if used > 0 {
			r.Value = strings.Replace(r.Value, "nothing", report.Bytes(float64(used)), 1)
		}
	}
	return r
}

// kernelFindings returns findings about kernel settings and counters.
func kernelFindings(c *record.Calibration) []finding {
	const group = "System"
	h, f := &c.Host, &c.Facts
	out := []finding{
		kernelFinding(group, h),
		clockSourceFinding(group, f),
		thpFinding(group, f),
		aslrFinding(group, f),
	}
	if f.TimerSlackNS != nil {
		out = append(out, finding{Group: group, Name: "timer slack", State: stateOK,
			Value: report.Duration(float64(*f.TimerSlackNS)),
			Means: "sleeps of a program may end this late; the engine's event loops set 1 ns for themselves"})
	}
	for _, m := range []struct{ key, name, lacks, change string }{
		{"instructions", "instruction counter", "instructions per request are left out of the results",
			"as root: sysctl kernel.perf_event_paranoid=1"},
		{"energy", "energy counter", "energy per request is left out of the results", "run dyno as root"},
	} {
		r := finding{Group: group, Name: m.name, State: stateOK, Value: "present"}
		if why, absent := h.Absent[m.key]; absent {
			r.State, r.Value, r.Means = stateNote, "absent: "+why, m.lacks
			if strings.Contains(why, "paranoid") || strings.Contains(why, "permi") ||
				strings.Contains(why, "only root") {
				r.Change = m.change
			}
		}
		out = append(out, r)
	}
	return out
}

func kernelFinding(group string, h *record.Host) finding {
	r := finding{Group: group, Name: "kernel", State: stateOK, Value: h.Kernel + ", " + h.OS}
	if major, minor, ok := kernelVersion(h.Kernel); ok && (major < 5 || major == 5 && minor < 11) {
		r.State, r.Means, r.Change = stateWarn,
			"before 5.11, waits have a resolution of 1 ms, so open loops send late", "use a newer kernel"
	}
	return r
}

// kernelVersion reads "Linux 6.18.44-fc".
func kernelVersion(kernel string) (major, minor int, ok bool) {
	release, ok := strings.CutPrefix(kernel, "Linux ")
	parts := strings.SplitN(release, ".", 3)
	if !ok || len(parts) < 2 {
		return 0, 0, false
	}
	major, err := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(strings.TrimRightFunc(parts[1], func(r rune) bool { return r < '0' || r > '9' }))
	return major, minor, err == nil && err2 == nil
}

func clockSourceFinding(group string, f *record.Facts) finding {
	r := finding{Group: group, Name: "clock source", State: stateOK, Value: f.ClockSource}
	switch f.ClockSource {
	case "tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource":
	case "":
		r.State, r.Value = stateNote, "unknown"
	default:
		r.State, r.Means = stateWarn,
			"each read enters the kernel, which slows the generator and every server that reads the time"
		r.Change = "echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource, if " +
			"available_clocksource in that folder lists tsc"
	}
	return r
}

func thpFinding(group string, f *record.Facts) finding {
	r := finding{Group: group, Name: "huge pages", State: stateOK, Value: f.THP}
	switch f.THP {
	case "always":
		r.State, r.Means = stateNote, "memory of a contestant grows in random steps of 2 MiB"
		r.Change = "for steadier memory figures: echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"
	case "":
		r.State, r.Value = stateNote, "unknown"
	}
	return r
}

func aslrFinding(group string, f *record.Facts) finding {
	r := finding{Group: group, Name: "address layout", State: stateOK, Value: "random at each start",
		Means: "adds random variation, but no bias: a run restarts its contestants every epoch"}
	switch {
	case f.ASLR == nil:
		r.State, r.Value, r.Means = stateNote, "unknown", ""
	case *f.ASLR == 0:
		r.State, r.Value = stateWarn, "the same at each start"
		r.Means, r.Change = "a memory layout that happens to favour one contestant lasts for the whole run",
			"sysctl kernel.randomize_va_space=2"
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
