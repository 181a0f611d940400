//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	voids     = 0.03 // limit for other programs' share of the two CPUs
	tailVoids = 0.01 // the limit for a p99, which 1 % of one CPU can change
	tries     = 12   // give up after this many times the requested rounds
)

// errNoise means that the machine was not quiet enough for a result.
var errNoise = errors.New("other programs took too much CPU")

// contender is one side of a round.
type contender struct {
	name string
	run  func(context.Context) (outcome, error)
}

// outcome is one contender's result for one window. Each experiment fills the fields that it uses; exported
// fields are kept with the results until the row has its value.
type outcome struct {
	Rate   float64 `json:"rate,omitempty"`   // requests per second
	CPU    float64 `json:"cpu,omitempty"`    // generator's CPU, ns per request
	Server float64 `json:"server,omitempty"` // busy share of the server's CPU
	Layout int     `json:"layout,omitempty"` // the program's layout, from 1; 0: it has only one
	Value  float64 `json:"value,omitempty"`
	P50    float64 `json:"p50,omitempty"` // ns
	P99    float64 `json:"p99,omitempty"`

	Beside *outcome `json:"beside,omitempty"` // outcome of a second load at the same time

	text    string  // prints Value
	erred   bool    // too many errors for a valid round
	unmoved bool    // background load does not matter: a count or a size
	others  float64 // other programs' share of the two CPUs
}

// progress has the rounds of a row without a value yet.
type progress struct {
	Name  string      `json:"name"`
	Of    string      `json:"of"` // SHA-256 of programs and options; see identity
	Valid [][]outcome `json:"valid"`
	All   int         `json:"all"`
}

// rounds runs every contender once a round, in random order, until n rounds are valid: in them other programs
// took at most the share most. all counts all rounds. It continues with the rounds of an earlier, unfinished
// call for the same programs.
func (b *rig) rounds(
	ctx context.Context, name string, n int, most float64, cs []contender,
) (valid [][]outcome, all int, err error) {
	of, err := b.identity(most, cs)
	if err != nil {
		return nil, 0, err
	}
	p := b.kept.begun(name, of)
	if len(p.Valid) > 0 {
		fmt.Fprintf(b.log, "%-14s goes on: %d of %d, try %d\n", name, len(p.Valid), n, p.All)
	}
	err = runRounds(ctx, n, most, cs, b.account, p, func(round []outcome, void string) error {
		var text strings.Builder
		for k, o := range round {
			fmt.Fprintf(&text, "  %s %s", cs[k].name, o)
		}
		fmt.Fprintf(b.log, "%-14s %3d of %d, try %d:%s%s\n", name, len(p.Valid), n, p.All, text.String(), void)
		return b.kept.write(b.opts.results)
	})
	return p.Valid, p.All, err
}

// identity returns a SHA-256 of everything that a row's rounds have in common.
func (b *rig) identity(most float64, cs []contender) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, b.opts.window, most)
	programs := []string{b.dyno}
	for _, c := range cs {
		fmt.Fprintln(h, c.name)
		i := b.have[c.name]
		if i.program != "" && i.program != b.dyno {
			programs = append(programs, i.program)
		}
		programs = append(programs, i.relinked...)
	}
	for _, p := range programs {
		text, err := os.ReadFile(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%x\n", sha256.Sum256(text))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (o outcome) String() string {
	s := fmt.Sprintf("others %.1f%%", 100*o.others)
	switch {
	case o.Rate > 0:
		return fmt.Sprintf("%.0f/s %.2f µs server %.0f%% %s", o.Rate, o.CPU/1e3, 100*o.Server, s)
	case o.P50 > 0:
		return fmt.Sprintf("p50 %+.1f µs p99 %+.1f µs %s", o.P50/1e3, o.P99/1e3, s)
	}
	return o.text + " " + s
}

// account returns the CPU time of both CPUs since the machine's start, and this program's, its children's and
// its servers' since theirs.
type account func() (all, own time.Duration)

// runRounds adds rounds to p until n are valid, and calls tell after each.
func runRounds(
	ctx context.Context, n int, most float64, cs []contender, account account, p *progress,
	tell func(round []outcome, void string) error,
) error {
	for tried := 0; len(p.Valid) < n; {
		if tried == tries*n {
			return fmt.Errorf("%w: %d of %d tries were valid, want %d", errNoise, len(p.Valid), p.All, n)
		}
		round := make([]outcome, len(cs))
		void := ""
		for _, k := range rand.Perm(len(cs)) {
			o, err := metered(ctx, account, cs[k].run)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case o.others > most && !o.unmoved:
				void = "  discarded: other programs"
				if err != nil {
					void += ", and " + cs[k].name + " failed: " + err.Error()
				}
			case err != nil:
				return fmt.Errorf("%s: %w", cs[k].name, err)
			case o.erred:
				void = "  discarded: " + cs[k].name + " had errors"
			}
			round[k] = o
		}
		p.All, tried = p.All+1, tried+1
		if void == "" {
			p.Valid = append(p.Valid, round)
		}
		if err := tell(round, void); err != nil {
			return err
		}
	}
	return nil
}

// metered runs run once and adds the other programs' share of the CPUs, even after an error.
func metered(ctx context.Context, account account, run func(context.Context) (outcome, error)) (outcome, error) {
	busy, own := account()
	start := time.Now()
	o, err := run(ctx)
	wall := time.Since(start)
	busy2, own2 := account()
	o.others = max(0, float64((busy2-busy)-(own2-own))/float64(2*wall))
	return o, err
}

func (b *rig) account() (all, own time.Duration) {
	own = used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN)
	for pid := range b.servers {
		own += ran(pid)
	}
	return busy(serverCPU) + busy(generatorCPU), own
}

// midway returns the busy share of the server's CPU in the middle half of a window that begins now; 0 if done
// is closed before.
func midway(window time.Duration, done <-chan struct{}) float64 {
	pause := func(d time.Duration) {
		select {
		case <-done:
		case <-time.After(d):
		}
	}
	pause(window / 4)
	before, start := busy(serverCPU), time.Now()
	pause(window / 2)
	took := time.Since(start)
	if took < window/4 {
		return 0 // too short to be precise
	}
	return float64(busy(serverCPU)-before) / float64(took)
}

const tick = 10 * time.Millisecond // USER_HZ, the unit of /proc/stat (proc(5))

// busy returns a CPU's time without idle time; steal time counts as busy.
func busy(cpu string) (t time.Duration) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var user, nice, system, idle, iowait, irq, softirq, steal int64
		fmt.Sscan(line, &name, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal)
		if name == "cpu"+cpu {
			t += time.Duration(user+nice+system+irq+softirq+steal) * tick
		}
	}
	return t
}

// used returns the CPU time of this process, or of its children that ended.
func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ran returns the CPU time of another process.
func ran(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold blanks.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var user, system int64
	if len(fields) > 12 {
		fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	}
	return time.Duration(user+system) * tick
}
