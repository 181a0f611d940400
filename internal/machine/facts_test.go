package machine

import (
	"reflect"
	"testing"

	"dyno/internal/record"
)

func p(n int64) *int64 { return &n }

func TestFacts(t *testing.T) {
	got := facts(tree(map[string]string{
		"sys/devices/system/cpu/smt/control":                              "on\n",
		"sys/devices/system/cpu/cpu0/topology/thread_siblings_list":       "0-1\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"proc/self/limits": "Limit  Soft  Hard  Units\nMax processes  1  2  processes\nMax " +
			"open files            1024                 20000                files\n",
		"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
		"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:       2 kB\nSwapCached: 1 " +
			"kB\nSwapTotal: 5 kB\nSwapFree: 2 kB\n",
	}), []int{0}, []int{1})
	want := record.Facts{
		SMT: "on", SplitCores: [][]int{{0, 1}}, ClockSource: "tsc",
		HardFileLimit: p(20000), PortLow: p(32768), PortHigh: p(60999),
		AvailableBytes: p(2048), SwapUsedBytes: p(3072),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if bare := facts(tree(nil), []int{0}, []int{1}); !reflect.DeepEqual(bare, record.Facts{}) {
		t.Errorf("of an empty root: %+v", bare)
	}
}

func TestHardFileLimit(t *testing.T) {
	if got := hardFileLimit("Max open files  unlimited  unlimited  files\n"); got != nil {
		t.Errorf("unlimited: %d", *got)
	}
}

func TestSplitCores(t *testing.T) {
	list := tree(map[string]string{
		"sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "1,5",
		"sys/devices/system/cpu/cpu5/topology/thread_siblings_list": "1,5",
		"sys/devices/system/cpu/cpu2/topology/thread_siblings_list": "2,6",
		"sys/devices/system/cpu/cpu6/topology/thread_siblings_list": "2,6",
	})
	for _, c := range []struct {
		server, generator []int
		want              [][]int
	}{
		{[]int{1, 5}, []int{2, 6}, nil},
		{[]int{1, 2}, []int{5, 6}, [][]int{{1, 5}, {2, 6}}},
		{[]int{6}, []int{2}, [][]int{{2, 6}}},
		{[]int{1}, []int{1}, nil}, // one CPU for both: not pinned
		{nil, nil, nil},
	} {
		if got := splitCores(list, c.server, c.generator); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.server, c.generator, got, c.want)
		}
	}
}
