package machine

import (
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/record"
)

// Facts reads the settings that measurements depend on. server and generator are their CPUs.
func Facts(server, generator []int) record.Facts { return facts(os.DirFS("/"), server, generator) }

// facts reads settings below root: proc and sys.
func facts(root fs.FS, server, generator []int) record.Facts {
	f := record.Facts{
		SMT:         read(root, "sys/devices/system/cpu/smt/control"),
		SplitCores:  splitCores(root, server, generator),
		ClockSource: read(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),

		HardFileLimit: hardFileLimit(read(root, "proc/self/limits")),
	}
	if ports := strings.Fields(read(root, "proc/sys/net/ipv4/ip_local_port_range")); len(ports) == 2 {
		f.PortLow, f.PortHigh = parseInteger(ports[0]), parseInteger(ports[1])
	}
	info := read(root, "proc/meminfo")
	f.AvailableBytes = memory(info, "MemAvailable")
	if total, free := memory(info, "SwapTotal"), memory(info, "SwapFree"); total != nil && free != nil {
		f.SwapUsedBytes = new(*total - *free)
	}
	return f
}

// parseInteger parses an integer; nil if text is not one.
func parseInteger(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// memory reads a line "key:   12 kB" from /proc/meminfo, in bytes.
func memory(info, key string) *int64 {
	kb, _, _ := strings.Cut(setting(info, key, ":"), " ")
	n := parseInteger(kb)
	if n != nil {
		*n <<= 10
	}
	return n
}

// hardFileLimit reads the second figure in "Max open files   1024   1048576   files" from
// /proc/self/limits; nil if it is "unlimited" or missing.
func hardFileLimit(limits string) *int64 {
	_, rest, _ := strings.Cut(limits, "Max open files")
	if words := strings.Fields(rest); len(words) > 1 {
		return parseInteger(words[1])
	}
	return nil
}

// splitCores lists the cores that are shared, with one thread used by the server and another by the
// generator.
func splitCores(root fs.FS, server, generator []int) [][]int {
	var cores [][]int
	for _, s := range server {
		list := siblings(root, s)
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
