// Command wrk races dyno's epoll engine against wrk (https://github.com/wg/wrk) on this machine:
//
//	go run ./peers/wrk
//
// Both load the same null server, which answers a constant and has CPU 0 to itself, from CPU 1, over 125 connections with one request
// in flight on each. They take turns, in random order within each pair, and each pair gives one ratio of requests per second. A pair
// during which other programs took more than 3 % of the two CPUs is void and repeated, whatever its ratio. wrk asks for one path; the engine draws one for each request and checks status and body.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/scenario"
	"dyno/internal/stats"
	"dyno/internal/truth"
)

func main() {
	null := flag.String("null", "", "be the null server at this address")
	pairs := flag.Int("pairs", 41, "pairs to run")
	window := flag.Duration("d", time.Second, "length of each window, whole seconds")
	conns := flag.Int("c", 125, "connections")
	profile := flag.String("cpuprofile", "", "write a profile of this process's windows here; they are slower for it")
	alone := flag.Bool("alone", false, "run the engine only")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *null, *pairs, *window, *conns, *profile, *alone); err != nil {
		log.Fatal(err)
	}
}

// values is what is asked and what must come back.
func values() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "values", Requests: []scenario.Request{{
		Method: "GET", Path: "/api/values/{id}", Weight: 1,
		With:   map[string]scenario.Input{"id": {Int: [2]int64{1, 1_000_000}}},
		Expect: scenario.Expect{Status: 200, Body: &body},
	}}}
}

func run(ctx context.Context, out io.Writer, null string, pairs int, window time.Duration, conns int, profile string, alone bool) error {
	if null != "" {
		response, err := truth.NullResponse(values())
		if err != nil {
			return err
		}
		debug.SetGCPercent(-1)
		return truth.ServeNull(ctx, "tcp", null, response)
	}
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("race wrk: needs two CPUs")
	}
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, "taskset", "-c", "0", self, "-null", addr)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Wait()
	defer server.Process.Signal(syscall.SIGTERM)
	if err := await(ctx, addr); err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	r := race{addr: addr, window: window, conns: conns, server: server.Process.Pid}
	return r.all(ctx, out, pairs, alone)
}

// freeAddr is where nobody listens just now.
func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// await returns when something listens at addr.
func await(ctx context.Context, addr string) error {
	for range 500 {
		if c, err := net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("race wrk: the null server does not listen at %s", addr)
}

type race struct {
	addr   string
	window time.Duration
	conns  int
	server int // pid
}

// heat is one window of one contender.
type heat struct {
	rate   float64 // requests per second
	cpu    float64 // µs of the generator per request
	server float64 // µs of the server per request
	others float64 // share of the two CPUs that other programs took
}

const (
	voids = 0.03 // of heat.others
	tries = 4    // times the pairs asked for, before giving up
)

func (r *race) all(ctx context.Context, out io.Writer, pairs int, alone bool) error {
	var logs, cpus []float64
	fmt.Fprintf(out, "%4s %12s %12s %7s %11s %11s %11s %11s %7s %7s\n", "pair", "dyno/s", "wrk/s", "ratio", "dyno µs", "wrk µs", "server µs", "server µs", "others", "others")
	for i := 0; len(logs) < pairs; i++ {
		if i == tries*pairs {
			return fmt.Errorf("race wrk: only %d of %d pairs in %d tries were free of other programs", len(logs), pairs, i)
		}
		var h [2]heat
		order := [2]int{0, 1}
		if rand.IntN(2) == 1 {
			order = [2]int{1, 0}
		}
		for _, who := range order {
			var err error
			switch {
			case who == 0:
				h[0], err = r.measure(func() (heat, error) { return r.dyno(ctx, uint64(i)) })
			case !alone:
				h[1], err = r.measure(func() (heat, error) { return r.wrk(ctx) })
			}
			if err != nil {
				return err
			}
		}
		void := ""
		if max(h[0].others, h[1].others) > voids {
			void = "  void"
		} else {
			logs = append(logs, math.Log(h[0].rate/h[1].rate))
			cpus = append(cpus, math.Log(h[0].cpu/h[1].cpu))
		}
		fmt.Fprintf(out, "%4d %12.0f %12.0f %7.3f %11.2f %11.2f %11.2f %11.2f %6.1f%% %6.1f%%%s\n", i, h[0].rate, h[1].rate, h[0].rate/h[1].rate,
			h[0].cpu, h[1].cpu, h[0].server, h[1].server, 100*h[0].others, 100*h[1].others, void)
	}
	if !alone {
		hl, lo, hi := stats.HodgesLehmann(logs, 0.95)
		fmt.Fprintf(out, "requests per second, dyno / wrk: %.3f, 95 %% interval %.3f to %.3f (Hodges-Lehmann, %d pairs)\n", math.Exp(hl), math.Exp(lo), math.Exp(hi), pairs)
		hl, lo, hi = stats.HodgesLehmann(cpus, 0.95)
		fmt.Fprintf(out, "CPU per request, dyno / wrk:     %.3f, 95 %% interval %.3f to %.3f\n", math.Exp(hl), math.Exp(lo), math.Exp(hi))
	}
	return nil
}

// measure runs f and adds what others took meanwhile.
func (r *race) measure(f func() (heat, error)) (heat, error) {
	account := func() (all, own time.Duration) {
		return busy(), used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN) + ran(r.server)
	}
	all, own := account()
	start := time.Now()
	h, err := f()
	wall := time.Since(start)
	all2, own2 := account()
	h.others = max(0, float64((all2-all)-(own2-own))/float64(2*wall))
	return h, err
}

// busy is the time that all CPUs were not idle, in ticks of 10 ms; steal is among it.
func busy() (t time.Duration) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var name string
	var user, nice, system, idle, iowait, irq, softirq, steal int64
	fmt.Sscan(string(b), &name, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal)
	return time.Duration(user+nice+system+irq+softirq+steal) * 10 * time.Millisecond
}

// dyno runs the engine in this process, its worker pinned to CPU 1.
func (r *race) dyno(ctx context.Context, seed uint64) (heat, error) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	session, err := epoll.Engine{}.Open(ctx, load.Job{
		Network: "tcp", Addr: r.addr, Scenario: values(), Seed: seed, Connections: r.conns, CPUs: []int{1},
	})
	if err != nil {
		return heat{}, err
	}
	defer session.Close()
	own, server := used(syscall.RUSAGE_SELF), ran(r.server)
	l, err := session.Run(ctx, load.Window{For: r.window})
	if err != nil {
		return heat{}, err
	}
	own, server = used(syscall.RUSAGE_SELF)-own, ran(r.server)-server
	if l.Succeeded != l.Started || l.Established != r.conns {
		return heat{}, fmt.Errorf("race wrk: not all requests succeeded: %+v", l)
	}
	n := float64(l.Succeeded)
	return heat{rate: n / (float64(l.WindowNS) / 1e9), cpu: micros(own) / n, server: micros(server) / n}, nil
}

var (
	rateLine  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	countLine = regexp.MustCompile(`(\d+) requests in`)
)

func (r *race) wrk(ctx context.Context) (heat, error) {
	server := ran(r.server)
	cmd := exec.CommandContext(ctx, "taskset", "-c", "1", "wrk", "-t1", "-c"+strconv.Itoa(r.conns),
		"-d"+strconv.Itoa(int(r.window.Seconds()))+"s", "http://"+r.addr+"/api/values/5")
	text, err := cmd.CombinedOutput()
	if err != nil {
		return heat{}, fmt.Errorf("run wrk: %w\n%s", err, text)
	}
	server = ran(r.server) - server
	rate, count := rateLine.FindSubmatch(text), countLine.FindSubmatch(text)
	if rate == nil || count == nil {
		return heat{}, fmt.Errorf("run wrk: no figures in its output\n%s", text)
	}
	perSecond, _ := strconv.ParseFloat(string(rate[1]), 64)
	n, _ := strconv.ParseFloat(string(count[1]), 64)
	u := cmd.ProcessState
	return heat{rate: perSecond, cpu: micros(u.UserTime()+u.SystemTime()) / n, server: micros(server) / n}, nil
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// used is the CPU time of who.
func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ran is the CPU time of another process, in ticks of 10 ms.
func ran(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var user, system int64
	after := regexp.MustCompile(`\) (.*)`).FindSubmatch(b) // the name in parentheses may hold blanks
	if after == nil {
		return 0
	}
	var state string
	var skip [10]int64
	fmt.Sscan(string(after[1]), &state, &skip[0], &skip[1], &skip[2], &skip[3], &skip[4], &skip[5], &skip[6], &skip[7], &skip[8], &skip[9], &user, &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}
