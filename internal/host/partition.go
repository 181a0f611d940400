package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// cores groups the usable CPUs by core, in ascending order. Threads of one core share a
// thread_siblings_list (kernel Documentation/admin-guide/cputopology.rst). A CPU without such a
// list is a core.
func cores(root fs.FS, usable []int) [][]int {
	var list [][]int
	taken := map[int]bool{}
	for _, cpu := range usable {
		if taken[cpu] {
			continue
		}
		core := []int{cpu}
		taken[cpu] = true
		siblings := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)
		for _, s := range parseList(read(root, siblings)) {
			if !taken[s] && slices.Contains(usable, s) {
				core = append(core, s)
				taken[s] = true
			}
		}
		slices.Sort(core)
		list = append(list, core)
	}
	return list
}

// partition divides the cores between server and generator. Of two cores, the server gets the
// first. Of more, the first is left for background CPU, and the server gets half of the rest,
// rounded down. A single CPU is used by both, and pinned is false.
//
// Threads of a core stay together, with one exception: if there is only one core, its threads are
// divided, because otherwise the CPU time of server and generator could not be told apart.
func partition(cores [][]int) (server, generator []int, pinned bool) {
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

// parseList reads the kernel's list of CPUs, such as "0-2,5". It ignores what it cannot read.
func parseList(text string) []int {
	var list []int
	for item := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		first, last, ranged := strings.Cut(item, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 31)
		to, err2 := strconv.ParseUint(last, 10, 64)
		for cpu := from; err == nil && err2 == nil && cpu <= to && cpu < maxCPUs; cpu++ {
			list = append(list, int(cpu))
		}
	}
	return list
}

// maxCPUs is the largest CONFIG_NR_CPUS (arch/x86/Kconfig).
const maxCPUs = 8192
