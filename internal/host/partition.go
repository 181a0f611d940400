package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Topology is the CPUs that may be used, by core: threads of one core stand together, in ascending order.
type Topology struct{ Cores [][]int }

// topology groups the CPUs usable by their thread_siblings_list (kernel Documentation/admin-guide/cputopology.rst); a CPU that has none is a core.
func topology(root fs.FS, usable []int) Topology {
	var t Topology
	taken := map[int]bool{}
	for _, cpu := range usable {
		if taken[cpu] {
			continue
		}
		core := []int{cpu}
		taken[cpu] = true
		for _, s := range parseList(read(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))) {
			if !taken[s] && slices.Contains(usable, s) {
				core = append(core, s)
				taken[s] = true
			}
		}
		slices.Sort(core)
		t.Cores = append(t.Cores, core)
	}
	return t
}

// Partition divides the cores (method.md, section 7). Two: the first for the server, the second for the generator. Three and more: the first
// keeps house, and of the rest half serve, rounded down, and the others load. One CPU is both, and pinned is false.
//
// Threads of a core stay together, but for one case: when two CPUs are one core there is no other way to tell the two accounts apart.
func (t Topology) Partition() (server, generator []int, pinned bool) {
	cores := t.Cores
	if len(cores) == 1 && len(cores[0]) > 1 {
		cores = [][]int{cores[0][:len(cores[0])/2], cores[0][len(cores[0])/2:]}
	}
	switch len(cores) {
	case 0:
		return nil, nil, false
	case 1:
		return slices.Clone(cores[0]), slices.Clone(cores[0]), false
	case 2:
	default:
		cores = cores[1:]
	}
	half := len(cores) / 2
	server, generator = slices.Concat(cores[:half]...), slices.Concat(cores[half:]...)
	slices.Sort(server)
	slices.Sort(generator)
	return server, generator, true
}

// parseList reads the kernel's list of CPUs, "0-2,5"; what is not one is left out.
func parseList(text string) []int {
	var list []int
	for item := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		first, last, ranged := strings.Cut(item, "-")
		from, err := strconv.Atoi(first)
		if err != nil || from < 0 {
			continue
		}
		to := from
		if ranged {
			if to, err = strconv.Atoi(last); err != nil {
				continue
			}
		}
		for cpu := from; cpu <= to && cpu < maxCPUs; cpu++ {
			list = append(list, cpu)
		}
	}
	return list
}

// maxCPUs is the most that a kernel is built for (CONFIG_NR_CPUS, arch/x86/Kconfig).
const maxCPUs = 8192
