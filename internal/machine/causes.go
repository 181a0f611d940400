package machine

import (
	"bytes"
	"slices"
	"time"

	"dyno/internal/record"
)

// Snapshot is one reading of the machine's counters. All but At count since an arbitrary start, so
// only differences have a meaning. Meter.Snapshot fills it and reuses its memory.
type Snapshot struct {
	At        time.Time
	CPUs      []Ticks       // ticks by CPU number; the zero value for an offline CPU
	Throttled time.Duration // time for which a CPU quota throttled our cgroup
	Suspended time.Duration // the whole machine, since it booted
}

// Ticks holds columns from /proc/stat for one CPU, in ticks of 10 ms (proc_stat(5)).
type Ticks struct {
	Busy  uint64 // user + nice + system + irq + softirq; user includes guest time
	Steal uint64 // the hypervisor ran something else
}

// procTick is the kernel's USER_HZ interval: 100 a second on every architecture that Go runs on.
const procTick = 10 * time.Millisecond

// Account is the CPU time that a process tree in the test bench used by its CPU clock, and the CPUs
// that it may have used.
type Account struct {
	CPUs []int
	Used time.Duration
}

// Causes returns the disturbances in a trial between two snapshots. The partitions are the server's
// and the generator's CPUs, and those of the first of the other accounts, the services', if it has
// its own. Background CPU is a
// partition's busy time less the time in all accounts that may have used it, and at least zero. An
// account that spans both partitions is subtracted from both, because its place is unknown: this
// underestimates background CPU rather than inventing it. The kernel samples the ticks, so a
// reading is off by about one tick per CPU.
//
// Note: this assumes a kernel without CONFIG_IRQ_TIME_ACCOUNTING. There, interrupt time counts for
// the running thread in its CPU clock, and in irq and softirq in /proc/stat. With that option,
// thread clocks exclude interrupts (update_rq_clock_task, kernel/sched/core.c), and the softirq
// time for the test's own network traffic would look like background CPU. Busy would have to
// exclude both columns.
func Causes(before, after *Snapshot, server, generator Account, others ...Account) record.Causes {
	c := record.Causes{
		WallNS:        int64(after.At.Sub(before.At)),
		ServerCPUs:    len(server.CPUs),
		GeneratorCPUs: len(generator.CPUs),
		ThrottledNS:   int64(max(0, after.Throttled-before.Throttled)),
		SuspendedNS:   int64(SuspendedBetween(before.Suspended, after.Suspended)),
	}
	for _, cpu := range generator.CPUs {
		if slices.Contains(server.CPUs, cpu) {
			c.SharedCPUs++
		}
	}
	own := append([]Account{server, generator}, others...)
	var services []int
	if len(others) > 0 && !others[0].overlaps(server.CPUs) && !others[0].overlaps(generator.CPUs) {
		services = others[0].CPUs
		c.ServiceCPUs = len(services)
		c.BackgroundServiceNS = int64(background(before, after, services, own))
	}
	c.BackgroundServerNS = int64(background(before, after, server.CPUs, own))
	c.BackgroundGeneratorNS = int64(background(before, after, generator.CPUs, own))
	for cpu := range min(len(before.CPUs), len(after.CPUs)) {
		if slices.Contains(server.CPUs, cpu) || slices.Contains(generator.CPUs, cpu) || slices.Contains(services, cpu) {
			c.StealNS += int64(grown(before.CPUs[cpu].Steal, after.CPUs[cpu].Steal))
		}
	}
	return c
}

func (a Account) overlaps(cpus []int) bool {
	return slices.ContainsFunc(a.CPUs, func(cpu int) bool { return slices.Contains(cpus, cpu) })
}

// SuspendedBetween returns how long the machine was suspended between two readings from Suspended.
// Less than a millisecond counts as zero, because Suspended reads two clocks one after the other.
func SuspendedBetween(before, after time.Duration) time.Duration {
	if d := after - before; d >= time.Millisecond {
		return d
	}
	return 0
}

// background returns the busy time on cpus that no account explains.
func background(before, after *Snapshot, cpus []int, own []Account) (sum time.Duration) {
	for _, cpu := range cpus {
		if cpu < len(before.CPUs) && cpu < len(after.CPUs) {
			sum += grown(before.CPUs[cpu].Busy, after.CPUs[cpu].Busy)
		}
	}
	for _, a := range own {
		if a.overlaps(cpus) {
			sum -= a.Used
		}
	}
	return max(0, sum)
}

// grown returns the time between two tick counts. Some columns in /proc/stat can decrease slightly;
// that counts as zero.
func grown(before, after uint64) time.Duration {
	if after < before {
		return 0
	}
	return time.Duration(after-before) * procTick
}

// parseCPUs reads the lines cpu0, cpu1 and so on from /proc/stat into list, and returns it. It
// allocates only to grow list.
//
// Note: prometheus/procfs reads the same file, but allocates maps and strings at each reading. The
// meter runs between trials, where garbage would cost the generator CPU time.
func parseCPUs(data []byte, list []Ticks) []Ticks {
	list = list[:0]
	for line := range bytes.Lines(data) {
		line, isCPU := bytes.CutPrefix(line, []byte("cpu"))
		if !isCPU || len(line) < 2 {
			break // the CPUs come first
		}
		cpu, rest := leadingNumber(line)
		if line[0] == ' ' || cpu >= maxCPUs { // the first line is the sum over all CPUs
			continue
		}
		for uint64(len(list)) <= cpu {
			list = append(list, Ticks{})
		}
		t := Ticks{}
		for column := range 8 { // user nice system idle iowait irq softirq steal
			var n uint64
			n, rest = leadingNumber(rest)
			switch column {
			case 0, 1, 2, 5, 6:
				t.Busy += n
			case 7:
				t.Steal = n
			}
		}
		list[cpu] = t
	}
	return list
}

// leadingNumber reads the digits at the start of data, after blanks, and returns the rest. Without
// digits it returns 0.
func leadingNumber(data []byte) (n uint64, rest []byte) {
	data = bytes.TrimLeft(data, " ")
	i := 0
	for ; i < len(data) && data[i] >= '0' && data[i] <= '9'; i++ {
		n = n*10 + uint64(data[i]-'0')
	}
	return n, data[i:]
}
