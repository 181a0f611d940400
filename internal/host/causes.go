package host

import (
	"bytes"
	"slices"
	"time"

	"dyno/internal/result"
)

// Snapshot is one reading of the machine's clocks. All but At have counted since some start; only differences mean anything. It is filled by
// Meter.Snapshot, again and again, and owns its memory.
type Snapshot struct {
	At        time.Time
	CPUs      []Ticks       // by CPU number; the zero value where a CPU is offline
	Throttled time.Duration // by the CPU quota of our cgroup
	Suspended time.Duration // of the whole machine, since it was started
}

// Ticks are columns of /proc/stat for one CPU, in ticks of 10 ms (proc_stat(5)).
type Ticks struct {
	Busy  uint64 // user + nice + system + irq + softirq; guest time is in user already
	Steal uint64 // the hypervisor ran someone else
}

// tick is USER_HZ, which is 100 on every architecture that Go runs on.
const tick = 10 * time.Millisecond

// Account is CPU time that is no stranger's: what a tree used by its CPU clock, and on which CPUs it may have been.
type Account struct {
	CPUs []int
	Used time.Duration
}

// Causes tells what besides server, generator and their companions used the machine between two snapshots. The CPUs of server and generator
// are the partitions; a companion (a database that the server asks) has an account of its own, wherever it runs. Foreign CPU is what was
// busy on a partition, less what the accounts used that may have been there, never below zero. An account that spans both partitions is
// taken off both, for where it was is not known: rather a stranger unseen than one made up. The ticks are sampled, so one reading is off
// by about a tick per CPU.
//
// Note: this takes a kernel without CONFIG_IRQ_TIME_ACCOUNTING, where interrupt time counts as the running thread's in its CPU clock, and is in
// irq and softirq of /proc/stat as well. With it, thread clocks leave interrupts out (update_rq_clock_task, kernel/sched/core.c) while
// /proc/stat keeps them: then the network's own softirq would seem foreign, and irq and softirq had to be left out of Busy.
func Causes(before, after *Snapshot, server, generator Account, companions ...Account) result.Causes {
	c := result.Causes{
		WallNS:        int64(after.At.Sub(before.At)),
		ServerCPUs:    len(server.CPUs),
		GeneratorCPUs: len(generator.CPUs),
		ThrottledNS:   int64(max(0, after.Throttled-before.Throttled)),
		SuspendedNS:   int64(SuspendedBetween(before.Suspended, after.Suspended)),
	}
	own := append([]Account{server, generator}, companions...)
	c.ForeignServerNS = int64(foreign(before, after, server.CPUs, own))
	c.ForeignGeneratorNS = int64(foreign(before, after, generator.CPUs, own))
	for cpu := range min(len(before.CPUs), len(after.CPUs)) {
		c.StealNS += int64(grown(before.CPUs[cpu].Steal, after.CPUs[cpu].Steal))
	}
	return c
}

// SuspendedBetween is how long the machine was suspended between two readings of Suspended. Less than a millisecond is none: the two clocks that
// tell are read one after the other.
func SuspendedBetween(before, after time.Duration) time.Duration {
	if d := after - before; d >= time.Millisecond {
		return d
	}
	return 0
}

// foreign is what was busy on cpus and is in no account that may have been there.
func foreign(before, after *Snapshot, cpus []int, own []Account) time.Duration {
	sum := busy(before, after, cpus)
	for _, a := range own {
		if slices.ContainsFunc(a.CPUs, func(cpu int) bool { return slices.Contains(cpus, cpu) }) {
			sum -= a.Used
		}
	}
	return max(0, sum)
}

func busy(before, after *Snapshot, cpus []int) time.Duration {
	var sum time.Duration
	for _, cpu := range cpus {
		if cpu < len(before.CPUs) && cpu < len(after.CPUs) {
			sum += grown(before.CPUs[cpu].Busy, after.CPUs[cpu].Busy)
		}
	}
	return sum
}

// grown is the time between two counts of ticks; some columns of /proc/stat can step back a little.
func grown(before, after uint64) time.Duration {
	if after < before {
		return 0
	}
	return time.Duration(after-before) * tick
}

// parseCPUs reads the lines cpu0, cpu1 … of /proc/stat into list, which grows as needed and is returned.
func parseCPUs(data []byte, list []Ticks) []Ticks {
	list = list[:0]
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if len(line) < 4 || string(line[:3]) != "cpu" {
			break // they come first
		}
		cpu, rest := number(line[3:])
		if line[3] == ' ' || cpu >= maxCPUs {
			continue
		}
		for uint64(len(list)) <= cpu {
			list = append(list, Ticks{})
		}
		t := Ticks{}
		for column := range 8 { // user nice system idle iowait irq softirq steal
			var n uint64
			n, rest = number(rest)
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

// number reads the digits that data starts with, after blanks, and returns what follows. Without digits it is 0.
func number(data []byte) (n uint64, rest []byte) {
	i := 0
	for i < len(data) && data[i] == ' ' {
		i++
	}
	for ; i < len(data) && data[i] >= '0' && data[i] <= '9'; i++ {
		n = n*10 + uint64(data[i]-'0')
	}
	return n, data[i:]
}
