//go:build linux

package machine

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "4242 (a (b) c) S 17 4242 4242 0 -1 4194560 1 2 3 4 50 60 7 8 20 0 5 0 987654 1 2 3\n"
	got, err := parseStat([]byte(line))
	want := stat{pid: 4242, state: 'S', parent: 17, group: 4242,
		own:    split{500 * time.Millisecond, 600 * time.Millisecond},
		waited: split{70 * time.Millisecond, 80 * time.Millisecond}, threads: 5, started: 987654}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "1", "1 (x", "x (x) S 1", "1 (x) S 1 2 3", ") ("} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("4242 (a (b) c) S 17 4242 4242 0 -1 4194560 1 2 3 4 50 60 7 8 20 0 5 0 987654 1 2 3\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		parseStat(line)
		parseDiagnosed(line, new([]listener))
		kilobytes(line, "Pss")
		field(line, "usage_usec")
	})
}

func TestLocal(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1": true, "0.0.0.0": true, "192.168.0.1": false, "::1": true,
		"::": true, "fe80::1": false} {
		if got := local(listener{address: netip.MustParseAddr(address)}); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}

func TestKilobytes(t *testing.T) {
	const rollup = "55 ---p [rollup]\nRss:  12 kB\nPss:   345 kB\nPss_Dirty:  1 kB\nSwapPss:   0 kB\n"
	for key, want := range map[string]int64{"Pss": 345 << 10, "SwapPss": 0} {
		if n, ok := kilobytes([]byte(rollup), key); n != want || !ok {
			t.Errorf("%s: %d, %v", key, n, ok)
		}
	}
	for _, bad := range []string{"", "Pss:\n", "Pss: many kB\n", "SwapPss: 3 kB\n"} {
		if _, ok := kilobytes([]byte(bad), "Pss"); ok {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(text string) { os.WriteFile(path, []byte(text), 0o600) }
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 3, nil},
		{"\n\n", 3, nil},
		{"one", 3, []string{"one"}},
		{"a\r\nb\r\n\nd\n", 3, []string{"b", "", "d"}},
		{"a\nb", 0, nil},
		{strings.Repeat("x", 600), 1, []string{strings.Repeat("x", 500) + "…"}},
		{"\xff\xfe\n", 1, []string{"\uFFFD"}},
	} {
		write(c.text)
		if got := Tail(path, c.n); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%.20q: %q, want %q", c.text, got, c.want)
		}
	}
	write(strings.Repeat("a line of this log\n", 10_000))
	if got := Tail(path, 20); len(got) != 20 || got[0] != "a line of this log" {
		t.Errorf("%q", got)
	}
	if Tail(path+"x", 3) != nil {
		t.Error("a tail of nothing")
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LANG", "en_GB.UTF-8")
	t.Setenv("SECRET", "x")
	t.Setenv("PATH", "/bin")
	os.Unsetenv("LC_ALL")
	os.Unsetenv("TZ")
	got := Environment("/h", "/t", 3, map[string]string{"DYNO_ADDR": "a:1", "LANG": "C"})
	want := "[DYNO_ADDR=a:1 DYNO_PAD=000 HOME=/h LANG=C PATH=/bin TMPDIR=/t XDG_CACHE_HOME=/h/.cache]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v\nwant %s", got, want)
	}
}

// Terminal codes in a log are not part of its text.
func TestTailIsPlain(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := "\x1b[1;31merror:\x1b[0m no\tlicence\r\n10 %\r20 %\x1b[K\r30 %\n\x1b]0;title\x07bell\x07\x1b[2J\nplain ü\n"
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	want := []string{"error: no licence", "30 %", "bell", "plain ü"}
	if got := Tail(log, 9); !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestCPUsForServices(t *testing.T) {
	for name, c := range map[string]struct {
		cores                             [][]int
		server, generator, services, rest []int
	}{
		"two CPUs":               {[][]int{{0}, {1}}, []int{0}, []int{1}, nil, []int{1}},
		"three":                  {[][]int{{0}, {1}, {2}}, []int{1}, []int{2}, []int{0}, []int{2}},
		"four":                   {[][]int{{0}, {1}, {2}, {3}}, []int{1}, []int{2, 3}, []int{3}, []int{2}},
		"eight":                  {[][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, []int{1, 2, 3}, []int{4, 5, 6, 7}, []int{6, 7}, []int{4, 5}},
		"two cores with threads": {[][]int{{0, 2}, {1, 3}}, []int{0, 2}, []int{1, 3}, []int{3}, []int{1}},
	} {
		services, rest := forServices(c.cores, c.server, c.generator)
		if !slices.Equal(services, c.services) || !slices.Equal(rest, c.rest) {
			t.Errorf("%s: services %v, generator %v; want %v, %v", name, services, rest, c.services, c.rest)
		}
	}
}
