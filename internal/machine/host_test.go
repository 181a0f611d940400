package machine

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestDescribeReadsFiles(t *testing.T) {
	h := describe(tree(map[string]string{
		"etc/os-release":                 "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
		"proc/sys/kernel/osrelease":      "6.18.44\n",
		"proc/sys/kernel/random/boot_id": "8a1f\n",
		"proc/cpuinfo": "processor\t: 0\nvendor_id\t: AuthenticAMD\nmicrocode\t: 0x1\ncpu family\t: " +
			"26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\nstepping\t: 1\n" +
			"flags\t\t: fpu hypervisor lm\n",
		"proc/stat":                   "cpu  1 2\ncpu0 1 2\ncpu1 1 2\ncpu2 1 2\nintr 5\n",
		"proc/meminfo":                "MemTotal:        2048 kB\nMemFree: 1 kB\n",
		"sys/class/dmi/id/sys_vendor": "QEMU\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor": "powersave\n",
	}))
	got := fmt.Sprint(h.OS, "|", h.Kernel, "|", h.CPU, "|", h.CPUs, "|", h.MemoryBytes, "|", h.Governor, "|",
		h.Hypervisor, "|", h.Quota, "|", h.Vendor, "|", h.Microcode, "|", h.BootID)
	const wantBoot = "22ca2f1ee479b35a" // SHA-256 of "dyno boot 8a1f", its first 8 bytes
	if want := "Debian GNU/Linux 12 (bookworm)|Linux 6.18.44|AMD " +
		"EPYC, family 26 model 2 stepping 1|3|2097152|performance/powersave|QEMU||AuthenticAMD|0x1|" + wantBoot; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	bare := describe(tree(nil))
	if bare.Governor != "unknown" || bare.Hypervisor != "" || bare.Quota != "" || bare.OS == "" || bare.CPU == "" ||
		bare.CPUs < 1 {
		t.Errorf("of an empty root: %+v", bare)
	}
}

func TestHypervisor(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		flags string
		want  string
	}{
		{nil, "fpu lm", ""},
		{nil, "fpu hypervisor", "unnamed"},
		{map[string]string{"sys/hypervisor/type": "xen\n"}, "", "xen"},
		{map[string]string{"sys/class/dmi/id/sys_vendor": "Google\n", "sys/class/dmi/id/product_name": "Compute " +
			"Engine\n"}, "hypervisor", "Google Compute Engine"},
	} {
		if got := hypervisor(tree(c.files), "flags : "+c.flags+"\n"); got != c.want {
			t.Errorf("%v: %q, want %q", c.flags, got, c.want)
		}
	}
}

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"v2, the tightest on the way up", map[string]string{
			"proc/self/cgroup":                 "0::/a/b\n",
			"sys/fs/cgroup/cgroup.controllers": "cpu io\n",
			"sys/fs/cgroup/a/cpu.max":          "150000 100000\n",
			"sys/fs/cgroup/a/b/cpu.max":        "max 100000\n",
		}, "1.5 CPUs (cgroup v2)"},
		{"v2, none", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cgroup.controllers": "cpu\n",
			"sys/fs/cgroup/cpu.max": "max 100000\n",
		}, ""},
		{"hybrid, in a container, whose mount is its own group", map[string]string{
			"proc/self/cgroup": "2:cpuacct:/\n1:cpu:/\n0::/docker/4f1c\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
			"sys/fs/cgroup/unified/cgroup.controllers": "cpu\n", "sys/fs/cgroup/unified/cpu.max": "50000 100000\n",
		}, "0.5 CPUs (cgroup v2)"},
		{"nonsense", map[string]string{"proc/self/cgroup": "x\n0::/../..\n"}, ""},
	} {
		if _, got := quotaOf(tree(c.files)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// topology returns the CPUs in cores such as "0,2 1,3", and the files that say so.
func topology(cores string) (usable []int, files map[string]string) {
	files = map[string]string{}
	for core := range strings.FieldsSeq(cores) {
		for _, cpu := range parseList(core) {
			usable = append(usable, cpu)
			files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)] = core + "\n"
		}
	}
	return usable, files
}

func TestMostServerCPUs(t *testing.T) {
	for text, want := range map[string]int{"": 0, "0": 0, "0 1": 1, "0 1 2": 2, "0 1 2 3": 2, "0 1 2 3 4 5": 4,
		"0 1 2 3 4 5 6 7": 5, "0,1": 1, "0,2 1,3": 2} {
		all, files := topology(text)
		if got := most(cores(tree(files), all)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if n, h := MostServerCPUs(), Describe(); n > 0 && !h.Pinned || n > len(h.ServerCPUs)+len(h.GeneratorCPUs)-1 && n > 0 {
		t.Errorf("here %d of %+v", n, h)
	}
}

// Two CPUs are two cores, as long as there are cores.
func TestTake(t *testing.T) {
	for _, c := range []struct {
		cores, want string
		n           int
	}{
		{"0 1 2 3", "[0 1] false", 2}, {"0 1 2 3", "[0 1 2 3] false", 9}, {"0 1", "[] false", 0},
		{"0,4 1,5 2,6", "[0 1] false", 2}, {"0,4 1,5 2,6", "[0 1 2] false", 3}, {"0,4 1,5 2,6", "[0 1 2 4] true", 4},
		{"0,1 2,3", "[0 2] false", 2}, {"0,1 2,3", "[0 1 2] true", 3},
	} {
		all, files := topology(c.cores)
		taken, threads := take(cores(tree(files), all), c.n)
		if got := fmt.Sprint(taken, threads); got != c.want {
			t.Errorf("%d of %q: %s, want %s", c.n, c.cores, got, c.want)
		}
	}
}

func TestPartition(t *testing.T) {
	for _, c := range []struct{ cores, want string }{
		{"", "[] [] false"},
		{"0", "[0] [0] false"},
		{"0 1", "[0] [1] true"},
		{"3 5", "[3] [5] true"},
		{"0,1", "[0] [1] true"}, // the exception: one core with two threads
		{"0 1 2", "[1] [2] true"},
		{"0 1 2 3", "[1] [2 3] true"},
		{"0 1 2 3 4 5 6 7", "[1 2 3] [4 5 6 7] true"},
		{"0,2 1,3", "[0 2] [1 3] true"},
		{"0,4 1,5 2,6 3,7", "[1 5] [2 3 6 7] true"},
	} {
		usable, files := topology(c.cores)
		server, generator, pinned := partition(cores(tree(files), usable))
		if got := fmt.Sprint(server, generator, pinned); got != c.want {
			t.Errorf("%q: %s, want %s", c.cores, got, c.want)
		}
	}
	// with as many CPUs for servers as a run needs; "": too few for that
	for _, c := range []struct {
		cores string
		n     int
		want  string
	}{
		{"0", 1, ""},
		{"0 1", 1, "[0] [1]"},
		{"0 1", 2, ""},
		{"0 1 2", 2, "[0 1] [2]"},
		{"0 1 2 3", 1, "[1] [2 3]"}, // as without a number
		{"0 1 2 3", 2, "[1 2] [3]"},
		{"0 1 2 3", 3, ""}, // its generator would have one
		{"0 1 2 3 4 5", 4, "[0 1 2 3] [4 5]"},
		{"0 1 2 3 4 5 6 7", 4, "[1 2 3 4] [5 6 7]"},
		{"0 1 2 3 4 5 6 7", 5, "[0 1 2 3 4] [5 6 7]"},
		{"0 1 2 3 4 5 6 7", 6, ""},
		{"0,1", 1, "[0] [1]"}, // two threads on one core, as ever
		{"0,2 1,3", 3, ""},    // cores stay whole
		{"0,4 1,5 2,6 3,7", 4, "[1 2 5 6] [3 7]"},
	} {
		all, files := topology(c.cores)
		server, generator, _, ok := partitionFor(cores(tree(files), all), c.n)
		got := ""
		if ok {
			got = fmt.Sprint(server, generator)
		}
		if got != c.want {
			t.Errorf("%q for %d: %s, want %s", c.cores, c.n, got, c.want)
		}
	}
	// a sibling that may not be used does not count, and a CPU that tells nothing is a core
	masked := tree(map[string]string{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1"})
	if got := fmt.Sprint(cores(masked, []int{0, 2})); got != "[[0] [2]]" {
		t.Errorf("masked: %s", got)
	}
}

func TestParseList(t *testing.T) {
	for text, want := range map[string]string{"0-2,5\n": "[0 1 2 5]", "": "[]", "x,1-,3": "[3]", "2-1": "[]",
		"-1": "[]"} {
		if got := fmt.Sprint(parseList(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if n := len(parseList("0-999999999999")); n != maxCPUs {
		t.Errorf("%d CPUs", n)
	}
}

func TestDescribeThisMachine(t *testing.T) {
	h := Describe()
	if h.OS == "" || h.CPUs < 1 || len(h.ServerCPUs) == 0 || len(h.GeneratorCPUs) == 0 {
		t.Errorf("%+v", h)
	}
	if _, err := RaiseFileLimit(); err != nil {
		t.Error(err)
	}
}
