package machine

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"dyno/internal/record"
)

const ms = time.Millisecond

func TestCauses(t *testing.T) {
	start := time.Unix(1000, 0)
	before := &Snapshot{At: start, CPUs: []Ticks{{100, 5}, {200, 0}, {50, 0}}, Throttled: 3 * ms, Suspended: 7 * ms}
	after := &Snapshot{At: start.Add(400 * ms), CPUs: []Ticks{{140, 6}, {230, 2}, {49, 0}}, Throttled: 4 * ms,
		Suspended: 9 * ms}
	base := record.Causes{WallNS: 400e6, ThrottledNS: 1e6, SuspendedNS: 2e6}
	for _, c := range []struct {
		name              string
		server, generator []int
		own, other        time.Duration
		foreign, foreignG int64
		services          []Account
	}{
		{"apart", []int{0}, []int{1}, 350 * ms, 280 * ms, 50e6, 20e6, nil},
		{"own is more than the ticks say", []int{0}, []int{1}, 410 * ms, 301 * ms, 0, 0, nil},
		{"shared: both are taken off", []int{0, 1}, []int{0, 1}, 300 * ms, 250 * ms, 150e6, 150e6, nil},
		{"a count that stepped back", []int{2}, []int{1}, 0, 0, 0, 300e6, nil},
		{"a CPU that is not there", []int{9}, []int{1}, 0, 0, 0, 300e6, nil},
		{"a service beside the server", []int{0}, []int{1}, 150 * ms, 280 * ms, 50e6, 20e6, []Account{{[]int{0},
			200 * ms}}},
		{"one each, and one that did nothing", []int{0}, []int{1}, 150 * ms, 80 * ms, 50e6, 20e6,
			[]Account{{[]int{0}, 200 * ms}, {[]int{1, 2}, 200 * ms}, {[]int{0, 1}, 0}}},
		{"a service elsewhere", []int{0}, []int{1}, 350 * ms, 280 * ms, 50e6, 20e6, []Account{{[]int{2}, 400 * ms}}},
		{"a service anywhere", []int{0}, []int{1}, 350 * ms, 280 * ms, 20e6, 0, []Account{{[]int{0, 1, 2}, 30 * ms}}},
	} {
		want := base
		for cpu, steal := range []int64{10e6, 20e6} { // steal on other CPUs would not count
			if slices.Contains(slices.Concat(c.server, c.generator), cpu) {
				want.StealNS += steal
			}
		}
		want.ServerCPUs, want.GeneratorCPUs, want.BackgroundServerNS, want.BackgroundGeneratorNS = len(c.server),
			len(c.generator), c.foreign, c.foreignG
		if c.server[0] == c.generator[0] {
			want.SharedCPUs = len(c.server)
		}
		if c.name == "a service elsewhere" {
			want.ServiceCPUs = 1
		}
		if got := Causes(before, after, Account{c.server, c.own}, Account{c.generator, c.other},
			c.services...); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", c.name, got, want)
		}
	}
	if got := Causes(after, before, Account{}, Account{}); got.ThrottledNS != 0 || got.SuspendedNS != 0 {
		t.Errorf("backwards: %+v", got)
	}
}

func TestParseCPUs(t *testing.T) {
	const text = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 4 1000 2000 8 16 32 64 128\ncpu2 10 0 0 5 5 0 1 0 0 0\nintr " +
		"1\ncpu7 1 1 1 1 1 1 1 1\n"
	if got := fmt.Sprint(parseCPUs([]byte(text), nil)); got != "[{31 32} {0 0} {11 "+
		"0}]" { // cpu1 is offline; the text after intr has no CPUs
		t.Error(got)
	}
	list := make([]Ticks, 0, 8)
	if n := testing.AllocsPerRun(100, func() {
		list = parseCPUs([]byte(text),
			list)
	}); n > 1 { // text conversion
		t.Errorf("%v allocations", n)
	}
	for _, odd := range []string{"", "cpu", "cpu0", "cpu0 1", "cpu99999999999 1", "x"} {
		parseCPUs([]byte(odd), nil)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("cpu0 1 2 4 1000 2000 8 16 32 64 128\n"))
	f.Add([]byte("throttled_usec 1500\n0-3,5"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parseCPUs(data, nil)
		parseList(string(data))
	})
}
