//go:build linux

package machine

import (
	"slices"
	"testing"
	"time"

	"dyno/internal/record"
)

// The CPU of other programs is what their processes used since the last reading, by name; a pid that is used anew
// began at 0, and what belongs to dyno, or began there, is no other program.
func TestPrograms(t *testing.T) {
	names := map[int]string{1: "init", 7: "chromium", 8: "chromium", 9: "dyno", 10: "node", 11: "make", 12: ""}
	stats := func(cpu map[int]time.Duration) (all []stat) {
		for _, s := range []stat{{pid: 1}, {pid: 7, parent: 1}, {pid: 8, parent: 7}, {pid: 9, parent: 1},
			{pid: 10, parent: 9}, {pid: 11, parent: 1}, {pid: 12, parent: 1}} {
			s.started, s.own.user = uint64(s.pid), cpu[s.pid]
			all = append(all, s)
		}
		return all
	}
	var p Programs
	name := func(pid int) string { return names[pid] }
	read := func(all []stat) []record.Program { return p.add(all, map[int]bool{9: true}, name) }
	read(stats(map[int]time.Duration{7: 100 * ms, 10: 50 * ms, 11: 70 * ms}))
	now := stats(map[int]time.Duration{7: 130 * ms, 8: 30 * ms, 10: 900 * ms, 11: 40 * ms, 12: 90 * ms})
	now[5].started = 99 // another make
	want := []record.Program{{Name: "chromium", CPUNS: 60e6}, {Name: "make", CPUNS: 40e6}}
	if got := read(now); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := read(now); len(got) > 0 {
		t.Errorf("nothing was used since, and yet %+v", got)
	}
}
