// Package machine runs commands in process trees of their own and measures them, describes this machine, divides
// its CPUs between server and generator, and measures background CPU and other disturbances.
//
// It reports causes and never judges them. A fact that the machine does not disclose is "unknown"
// or empty, never guessed.
package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/record"
)

// Describe describes the machine, its limits, and how the usable CPUs are divided.
func Describe() record.Host { return DescribeFor(0) }

// DescribeFor describes the machine as Describe does, with at least n CPUs for servers if the cores
// suffice.
func DescribeFor(n int) record.Host {
	h := describe(os.DirFS("/"))
	h.FileLimit, h.Absent = fileLimit(), Absent()
	h.Cores = cores(os.DirFS("/"), Usable())
	h.ServerCPUs, h.GeneratorCPUs, h.Pinned, _ = partitionFor(h.Cores, n)
	h.SharedCore = h.Pinned && len(h.Cores) == 1
	return h
}

// BootID identifies the machine's current boot, by a hash of its id (random(4)); "" if unknown.
func BootID() string { return bootID(os.DirFS("/")) }

func bootID(root fs.FS) string {
	id := read(root, "proc/sys/kernel/random/boot_id")
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("dyno boot " + id))
	return hex.EncodeToString(sum[:8])
}

// CPU names the model of this machine's CPUs, as record.Host has it.
func CPU() string { return cpu(read(os.DirFS("/"), "proc/cpuinfo")) }

// KernelSeries returns a kernel's name and the first two numbers in its version: "Linux 6.18".
// Builds in one series count as the same kind of machine.
func KernelSeries(kernel string) string {
	parts := strings.SplitN(kernel, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// describe reads files in etc, proc and sys below root.
func describe(root fs.FS) record.Host {
	h := record.Host{OS: runtime.GOOS, Kernel: runtime.GOOS, CPUs: runtime.NumCPU(),
		Governor: governor(root)}
	h.QuotaCPUs, h.Quota = quotaOf(root)
	if name := setting(read(root, "etc/os-release"), "PRETTY_NAME", "="); name != "" {
		h.OS = strings.Trim(name, `"'`)
	}
	if release := read(root, "proc/sys/kernel/osrelease"); release != "" {
		h.Kernel = "Linux " + release
	}
	h.BootID = bootID(root)
	info := read(root, "proc/cpuinfo")
	h.CPU, h.Vendor, h.Microcode = cpu(info), setting(info, "vendor_id", ":"), setting(info, "microcode", ":")
	if n := strings.Count("\n"+read(root, "proc/stat"), "\ncpu") - 1; n > 0 { // the first line is the sum
		h.CPUs = n
	}
	if n := memory(read(root, "proc/meminfo"), "MemTotal"); n != nil {
		h.MemoryBytes = *n
	}
	h.Hypervisor = hypervisor(root, info)
	return h
}

// cpu names a CPU from the text of /proc/cpuinfo: its brand, and the numbers that tell one brand's
// generations apart, as a hypervisor may shorten all brands to "AMD EPYC".
func cpu(info string) string {
	name := runtime.GOARCH
	for _, key := range []string{"model name", "Model", "cpu model", "Hardware"} { // x86, arm, mips, old arm
		if model := setting(info, key, ":"); model != "" {
			name = model
			break
		}
	}
	var numbers []string
	for _, n := range []struct{ key, name string }{
		{"cpu family", "family"}, {"model", "model"}, {"stepping", "stepping"}, // x86
		{"CPU implementer", "implementer"}, {"CPU part", "part"}, {"CPU variant", "variant"}, // arm
	} {
		if value := setting(info, n.key, ":"); value != "" {
			numbers = append(numbers, n.name+" "+value)
		}
	}
	if len(numbers) == 0 {
		return name
	}
	return name + ", " + strings.Join(numbers, " ")
}

// read returns a file's text without surrounding white space; "" if it cannot be read.
func read(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// setting returns the value on the first line "key<separator>value".
func setting(text, key, separator string) string {
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(line, separator)
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// governor names the frequency governors in use, joined by "/" if the CPUs differ (kernel
// Documentation/admin-guide/pm/cpufreq.rst).
func governor(root fs.FS) string {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var names []string
	for _, f := range files {
		if name := read(root, f); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return cmp.Or(strings.Join(slices.Compact(names), "/"), "unknown")
}

// hypervisor names the hypervisor; "" if there is no sign of one. The CPU flag shows that there is
// one (CPUID leaf 1, ECX bit 31), the firmware tables say which. A microVM has no such tables.
func hypervisor(root fs.FS, cpuinfo string) string {
	if kind := read(root, "sys/hypervisor/type"); kind != "" {
		return kind
	}
	if !slices.Contains(strings.Fields(setting(cpuinfo, "flags", ":")), "hypervisor") {
		return ""
	}
	vendor, product := read(root, "sys/class/dmi/id/sys_vendor"), read(root, "sys/class/dmi/id/product_name")
	return cmp.Or(strings.TrimSpace(vendor+" "+product), "unnamed")
}

// groupOf finds a process's cgroup of version 2 (cgroups(7)), of a pid or self, at its usual mount points: their
// folder, and the group's path below, without a leading slash. mount is "" without version 2.
func groupOf(root fs.FS, process string) (mount, below string) {
	for line := range strings.Lines(read(root, "proc/"+process+"/cgroup")) {
		at, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		below = strings.TrimPrefix(path.Clean("/"+at), "/")
		for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"} {
			if _, err := fs.Stat(root, mount+"/cgroup.controllers"); err != nil {
				continue // in a hybrid, sys/fs/cgroup holds the hierarchies of version 1
			}
			if _, err := fs.Stat(root, path.Join(mount, below)); err != nil {
				below = "" // a container without a cgroup namespace: the mount is its own group
			}
			return mount, below
		}
	}
	return "", ""
}

// quotaOf returns the tightest CPU limit in our cgroup and its ancestors, also as text, such as
// "1.5 CPUs (cgroup v2)"; 0 and "" if there is none.
func quotaOf(root fs.FS) (cpus float64, text string) {
	mount, at := groupOf(root, "self")
	if mount == "" {
		return 0, ""
	}
	for ; ; at = path.Dir(at) {
		limit, period, _ := strings.Cut(read(root, path.Join(mount, at, "cpu.max")), " ")
		q, err1 := strconv.ParseFloat(limit, 64) // "max" means none
		p, err2 := strconv.ParseFloat(period, 64)
		if err1 == nil && err2 == nil && q > 0 && p > 0 && (text == "" || q/p < cpus) {
			cpus = q / p
			text = fmt.Sprintf("%.3g CPUs (cgroup v2)", cpus)
		}
		if at == "" || at == "." {
			return cpus, text
		}
	}
}
