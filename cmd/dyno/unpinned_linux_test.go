package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// A run that a test starts on a made machine may use all CPUs, even if another test has pinned this test binary
// meanwhile. Its servers keep the CPUs that it gives them.
func init() {
	if filepath.Base(os.Args[0]) != "dyno-made" || !slices.Contains(os.Args, "run") {
		return
	}
	var all unix.CPUSet
	for cpu := range 1024 {
		all.Set(cpu)
	}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			unix.SchedSetaffinity(tid, &all)
		}
	}
}
