package machine

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
)

// cores groups the usable CPUs by core, in ascending order. Threads on one core share a
// thread_siblings_list (kernel Documentation/admin-guide/cputopology.rst). A CPU without such a
// list is a core.
func cores(root fs.FS, usable []int) [][]int {
	var list [][]int
	taken := map[int]bool{}
	for _, cpu := range usable {
		if taken[cpu] {
			continue
		}
		group := []int{cpu}
		taken[cpu] = true
		for _, s := range siblings(root, cpu) {
			if !taken[s] && slices.Contains(usable, s) {
				group = append(group, s)
				taken[s] = true
			}
		}
		slices.Sort(group)
		list = append(list, group)
	}
	return list
}

// siblings returns the threads on cpu's core, cpu among them; nil if they are unknown.
func siblings(root fs.FS, cpu int) []int {
	return parseList(read(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)))
}

// partition divides the cores between server and generator. If there are two cores, the server gets
// the first. If there are more, the first is left for background CPU, and the server gets half the
// rest, rounded down. A single CPU is used by both, and pinned is false.
//
// Threads on a core stay together, with one exception: if there is only one core, its threads are
// divided, because otherwise the CPU time used by server and generator could not be told apart.
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
	return divide(cores, len(cores)/2)
}

// divide gives the first cores to the server and the others to the generator.
func divide(cores [][]int, first int) (server, generator []int, pinned bool) {
	server, generator = slices.Concat(cores[:first]...), slices.Concat(cores[first:]...)
	slices.Sort(server)
	slices.Sort(generator)
	return server, generator, true
}

// GiveServices takes CPUs for services in h: half of the generator's cores, else the cores that are
// left for background CPU, else half of the generator's threads. Two CPUs have none to give.
func GiveServices(h *record.Host) {
	if h.Pinned {
		h.ServiceCPUs, h.GeneratorCPUs = forServices(cores(os.DirFS("/"), Usable()), h.ServerCPUs, h.GeneratorCPUs)
	}
}

func forServices(cores [][]int, server, generator []int) (services, rest []int) {
	var own [][]int
	var spare []int
	for _, core := range cores {
		if slices.Contains(generator, core[0]) {
			own = append(own, core)
		} else if !slices.Contains(server, core[0]) {
			spare = append(spare, core...)
		}
	}
	switch half := len(generator) / 2; {
	case len(own) > 1:
		rest, services, _ = divide(own, (len(own)+1)/2)
		return services, rest
	case len(spare) > 0:
		return spare, generator
	case half > 0:
		return generator[len(generator)-half:], generator[:len(generator)-half]
	}
	return nil, generator
}

// GeneratorFor returns the minimum number of CPUs for a generator beside servers on n CPUs: one for
// each two. With fewer the generator is often the bottleneck: one of its CPUs makes 151,000
// requests per second (doc/run.md, Scale), and a CPU with a fast server answers half as many.
func GeneratorFor(n int) int { return (n + 1) / 2 }

// partitionFor divides the cores so that servers have at least n CPUs, and the generator
// GeneratorFor(n). If partition does so already, its division is returned. Otherwise a core is left
// for background CPU only if there are enough cores. ok is false if there are too few.
func partitionFor(cores [][]int, n int) (server, generator []int, pinned, ok bool) {
	if server, generator, pinned = partition(cores); pinned && len(server) >= n {
		return server, generator, pinned, true
	}
	for _, spare := range []int{1, 0} {
		if len(cores) < 2+spare {
			continue
		}
		for first := 1; first < len(cores)-spare; first++ {
			s, g, _ := divide(cores[spare:], first)
			if len(s) >= n && len(g) >= GeneratorFor(n) {
				return s, g, true, true
			}
		}
	}
	return server, generator, pinned, false
}

// most returns the largest n that partitionFor accepts; 0 if server and generator cannot be kept
// apart.
func most(cores [][]int) (n int) {
	all := 0
	for _, core := range cores {
		all += len(core)
	}
	for ; n < all; n++ {
		if _, _, _, ok := partitionFor(cores, n+1); !ok {
			break
		}
	}
	return n
}

// MostServerCPUs returns the largest number of this machine's CPUs for servers that leaves the
// generator enough CPUs, also within the cgroup's quota; 0 if nothing can be pinned.
func MostServerCPUs() int {
	n := most(cores(os.DirFS("/"), Usable()))
	if quota, _ := quotaOf(os.DirFS("/")); quota > 0 {
		for n > 0 && float64(n+GeneratorFor(n)) > quota {
			n--
		}
	}
	return n
}

// RoomForServers returns an error if servers cannot have n of this machine's CPUs. It says how many
// they can have and what to do.
func RoomForServers(n int) error {
	quota, _ := quotaOf(os.DirFS("/"))
	return roomFor(n, MostServerCPUs(), len(Usable()), quota)
}

func roomFor(n, most, usable int, quota float64) error {
	if n <= most {
		return nil
	}
	has := document.Count(usable, "CPU")
	if quota > 0 && quota < float64(usable) {
		has += fmt.Sprintf(", of which a cgroup quota grants %.3g", quota)
	}
	can := fmt.Sprintf("servers can have %d at most; pass no more", most)
	if most == 0 {
		can = "server and generator share what there is; omit it"
	}
	generator := GeneratorFor(n)
	return fmt.Errorf("servers on %s need %d more for the generator, one for each two; dyno may use %s of this "+
		"machine, so %s, or use a machine with %d CPUs or more", document.Count(n, "CPU"), generator, has, can, n+generator)
}

// Take returns n of cpus for a server, in ascending order: one thread on each core as long as there
// are cores, so that two CPUs are two cores. threads reports whether two of them are threads on one
// core. Take returns all cpus if there are not more.
func Take(cpus []int, n int) (taken []int, threads bool) { return take(cores(os.DirFS("/"), cpus), n) }

func take(cores [][]int, n int) (taken []int, threads bool) {
	for depth := 0; len(taken) < n; depth++ {
		any := false
		for _, core := range cores {
			if depth < len(core) && len(taken) < n {
				taken, any = append(taken, core[depth]), true
				threads = threads || depth > 0
			}
		}
		if !any {
			break
		}
	}
	slices.Sort(taken)
	return taken, threads
}

// parseList reads the kernel's CPU list, such as "0-2,5". It ignores unreadable items.
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
