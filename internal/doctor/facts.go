package doctor

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/machine"
	"dyno/internal/record"
)

// facts reads settings below root: proc and sys.
func facts(root fs.FS, server, generator []int) record.Facts {
	f := record.Facts{
		SMT:         read(root, "sys/devices/system/cpu/smt/control"),
		SplitCores:  split(root, server, generator),
		Turbo:       turbo(root),
		ClockSource: read(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),
		THP:         chosen(read(root, "sys/kernel/mm/transparent_hugepage/enabled")),

		HardFileLimit: hardFileLimit(read(root, "proc/self/limits")),
		TimeWaitReuse: parseInteger(read(root, "proc/sys/net/ipv4/tcp_tw_reuse")),
		TCPTimestamps: parseInteger(read(root, "proc/sys/net/ipv4/tcp_timestamps")),
		Somaxconn:     parseInteger(read(root, "proc/sys/net/core/somaxconn")),
		ASLR:          parseInteger(read(root, "proc/sys/kernel/randomize_va_space")),
	}
	if ports := strings.Fields(read(root, "proc/sys/net/ipv4/ip_local_port_range")); len(ports) == 2 {
		f.PortLow, f.PortHigh = parseInteger(ports[0]), parseInteger(ports[1])
	}
	info := read(root, "proc/meminfo")
	f.AvailableBytes = kilobytes(info, "MemAvailable")
	if total, free := kilobytes(info, "SwapTotal"), kilobytes(info, "SwapFree"); total != nil && free != nil {
		used := *total - *free
		f.SwapUsedBytes = &used
	}
	return f
}

// read returns a file's text without surrounding white space; "" if it cannot be read.
func read(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// parseInteger parses an integer; nil if text is not one.
func parseInteger(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// chosen returns the word in brackets in "always [madvise] never".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	word, _, found := strings.Cut(rest, "]")
	if !found {
		return ""
	}
	return word
}

// after returns the words that follow key at the beginning of a line in text; nil if there is no
// such line.
func after(text, key string) []string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}

// kilobytes reads a line "key:   12 kB" from /proc/meminfo, in bytes.
func kilobytes(info, key string) *int64 {
	words := after(info, key+":")
	if len(words) == 0 {
		return nil
	}
	n := parseInteger(words[0])
	if n != nil {
		*n <<= 10
	}
	return n
}

// hardFileLimit reads the second figure in "Max open files   1024   1048576   files" from
// /proc/self/limits; nil if it is "unlimited" or missing.
func hardFileLimit(limits string) *int64 {
	if words := after(limits, "Max open files"); len(words) > 1 {
		return parseInteger(words[1])
	}
	return nil
}

// turbo returns whether the CPUs may run above their base clock: "on", "off", or "" if unknown
// (kernel Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst).
func turbo(root fs.FS) string {
	off := read(root, "sys/devices/system/cpu/intel_pstate/no_turbo")
	boost := read(root, "sys/devices/system/cpu/cpufreq/boost")
	return cmp.Or(map[string]string{"0": "on", "1": "off"}[off], map[string]string{"1": "on", "0": "off"}[boost])
}

// split lists the cores that are shared, with one thread used by the server and another by the
// generator.
func split(root fs.FS, server, generator []int) [][]int {
	var cores [][]int
	for _, s := range server {
		list := machine.ParseList(read(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", s)))
		for _, g := range generator {
			core := []int{s, g}
			slices.Sort(core)
			known := slices.ContainsFunc(cores, func(c []int) bool { return slices.Equal(c, core) })
			if s != g && slices.Contains(list, g) && !known {
				cores = append(cores, core)
			}
		}
	}
	return cores
}
