package machine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// cpuSet converts cpus to the kernel's form.
func cpuSet(cpus []int) (unix.CPUSet, error) {
	var set unix.CPUSet
	for _, cpu := range cpus {
		if set.Set(max(cpu, 0)); cpu < 0 || !set.IsSet(cpu) {
			return set, fmt.Errorf("no CPU %d", cpu)
		}
	}
	return set, nil
}

// PinSelf pins every thread of this process to cpus; later threads inherit the affinity. Commands
// started later keep their own CPUs. restore gives each thread its previous affinity.
func PinSelf(cpus []int) (restore func(), err error) {
	set, err := cpuSet(cpus)
	if err != nil {
		return nil, fmt.Errorf("pin this process: %w", err)
	}
	if set.Count() == 0 {
		return nil, errors.New("pin this process: no CPUs given")
	}
	a := ourAffinity()
	a.mu.Lock()
	defer a.mu.Unlock()
	before := map[int]unix.CPUSet{}
	undo := func() {
		eachThread(func(tid int) error {
			set, known := before[tid]
			if !known {
				set = a.original
			}
			return unix.SchedSetaffinity(tid, &set)
		})
	}
	err = eachThread(func(tid int) error {
		var old unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &old); err != nil {
			return err
		}
		before[tid] = old
		return unix.SchedSetaffinity(tid, &set)
	})
	if err != nil {
		undo()
		return nil, fmt.Errorf("pin this process to CPUs %v: %w", cpus, err)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		undo()
	}, nil
}

// eachThread calls f once for each thread in this process, until a pass finds no new one: a thread
// created meanwhile has inherited its creator's old affinity.
func eachThread(f func(tid int) error) error {
	seen := map[int]bool{}
	for {
		tids, err := threads(os.Getpid())
		if err != nil {
			return err
		}
		fresh := false
		for _, tid := range tids {
			if seen[tid] {
				continue
			}
			seen[tid], fresh = true, true
			if err := f(tid); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
		if !fresh {
			return nil
		}
	}
}
