package machine

import (
	"strings"
	"testing"

	"dyno/internal/record"
)

// Event loops spin if this takes a CPU from nobody, and only then.
func TestSpinningAllowed(t *testing.T) {
	two, four := []int{0, 1}, []int{0, 1, 2, 3}
	for name, c := range map[string]struct {
		s    Spinning
		want string // part of the reason; empty: they may
	}{
		"remote, a CPU to spare": {Spinning{Usable: two, Loops: 1, Remote: true}, ""},
		"remote, a loop on each CPU": {Spinning{Usable: two, Loops: 2, Remote: true},
			"no CPU would remain free: this process may use 2"},
		"remote, one CPU of many": {Spinning{Usable: []int{3}, Loops: 1, Remote: true},
			"no CPU would remain free"},
		"remote, loops that share a CPU": {Spinning{Usable: four, Loops: 2, LoopCPUs: []int{3}, Remote: true},
			"event loops for"},
		"remote, a quota with room": {Spinning{Usable: four, Loops: 1, Quota: 2, Remote: true}, ""},
		"remote, a quota without": {Spinning{Usable: four, Loops: 1, Quota: 1.5, Remote: true},
			"quota of 1.5 CPUs"},
		"here, not known where": {Spinning{Usable: four, Loops: 1}, "are unknown"},
		"here, free like the loops": {Spinning{Usable: two, Loops: 1, ServerCPUs: two},
			"may use the event loops' CPUs"},
		"here, free, the loops pinned": {Spinning{Usable: two, Loops: 1, LoopCPUs: []int{1}, ServerCPUs: two},
			"may use the event loops' CPUs"},
		"here, on the same CPU": {Spinning{Usable: two, Loops: 1, LoopCPUs: []int{1},
			ServerCPUs: []int{1}}, "may use the event loops' CPUs"},
		"here, pinned elsewhere": {Spinning{Usable: two, Loops: 1, LoopCPUs: []int{1},
			ServerCPUs: []int{0}}, ""},
		"here, pinned elsewhere, loops free": {Spinning{Usable: two, Loops: 1, ServerCPUs: []int{0}},
			"may use the event loops' CPUs"},
		"here, a quota that its CPUs use up": {Spinning{Usable: four, Loops: 1, Quota: 3, LoopCPUs: []int{3},
			ServerCPUs: []int{0, 1, 2}}, "quota of 3 CPUs"},
		"here, a quota with room for its CPU": {Spinning{Usable: four, Loops: 1, Quota: 2, LoopCPUs: []int{3},
			ServerCPUs: []int{0}}, ""},
		"one CPU": {Spinning{Usable: []int{0}, Loops: 1, ServerCPUs: []int{0}},
			"may use the event loops' CPUs"},
	} {
		ok, why := c.s.Allowed()
		if ok != (c.want == "") || ok != (why == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %t, %q; want %q", name, ok, why, c.want)
		}
	}
}

func TestSpinAllowedInARun(t *testing.T) {
	for name, c := range map[string]struct {
		host         record.Host
		loops        int
		closed, open bool
	}{
		"two CPUs": {record.Host{Pinned: true, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}, 1, true,
			true},
		"threads of a core": {record.Host{Pinned: true, SharedCore: true, ServerCPUs: []int{0},
			GeneratorCPUs: []int{1}}, 1, false, true},
		"one CPU":        {record.Host{ServerCPUs: []int{0}, GeneratorCPUs: []int{0}}, 1, false, false},
		"another system": {record.Host{ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}, 1, false, false},
		"a quota of half": {record.Host{Pinned: true, QuotaCPUs: 1, ServerCPUs: []int{0},
			GeneratorCPUs: []int{1}}, 1, false, false},
		"a quota of all": {record.Host{Pinned: true, QuotaCPUs: 2, ServerCPUs: []int{0},
			GeneratorCPUs: []int{1}}, 1, true, true},
		"more loops than CPUs": {record.Host{Pinned: true, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}, 2, false,
			false},
		"four for each, few loops": {record.Host{Pinned: true, QuotaCPUs: 6, ServerCPUs: []int{0, 1, 2, 3},
			GeneratorCPUs: []int{4, 5, 6, 7}}, 2, true, true},
	} {
		closed, _ := SpinAllowed(&c.host, c.loops, false)
		open, _ := SpinAllowed(&c.host, c.loops, true)
		if closed != c.closed || open != c.open {
			t.Errorf("%s: closed %t, open %t", name, closed, open)
		}
	}
}
