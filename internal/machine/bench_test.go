//go:build linux

package machine

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dyno/internal/record"
)

func sleeper(b *testing.B, by accounting) *Process {
	b.Helper()
	p, err := begin(Command{Argv: []string{"sleep", "600"}, Env: []string{"PATH=/bin:/usr/bin"}}, by)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Stop(0) })
	return p
}

func BenchmarkCPU(b *testing.B) {
	for name, by := range map[string]accounting{"grouped": accounts(), "clocks": {uncounted: errOff}} {
		b.Run(name, func(b *testing.B) {
			p := sleeper(b, by)
			b.ReportAllocs()
			for b.Loop() {
				p.CPU()
			}
		})
	}
}

func BenchmarkFreezeThaw(b *testing.B) {
	p := sleeper(b, accounts())
	for b.Loop() {
		p.Freeze()
		p.Thaw()
	}
}

// BenchmarkReadings measures the cost of a trial beyond its load, for a process with some ten
// threads: counters and usage after each trial, totals after the epoch's last. The three together
// should stay below 3 ms, because a trial lasts 0.1 s.
func BenchmarkReadings(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	by := accounts()
	by.event, by.uncounted = taskClock, nil
	p, err := begin(Command{Argv: []string{self}, Env: Environment(home, home, 0,
		map[string]string{"PROC_ROLE": "sockets"}), Log: filepath.Join(home, "log")}, by)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Stop(0) })
	if p.uncounted != nil {
		b.Log(p.uncounted)
	}
	for len(p.LogTail(1)) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := p.Freeze(); err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func(*record.Usage){
		"count":  func(u *record.Usage) { u.Instructions = p.Count()() },
		"usage":  func(u *record.Usage) { p.Usage(u) },
		"totals": func(u *record.Usage) { p.Totals(u) },
		"all":    func(u *record.Usage) { u.Instructions = p.Count()(); p.Usage(u); p.Totals(u) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var u record.Usage
				read(&u)
			}
		})
	}
}

// BenchmarkSockets counts the sockets in a process that holds 5,000: this one.
func BenchmarkSockets(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	for range 2500 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Skip(err)
		}
		defer c.Close()
	}
	me, err := readStat(os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		set := map[string]bool{}
		if err := addSockets(me, set); err != nil {
			b.Fatal(err)
		}
		n = len(set)
	}
	b.ReportMetric(float64(n), "sockets")
}
