package main

// What dyno alone asks of a program: an artificial delay or load in its handlers, figures of its heap, and a quick, clean stop.
// All Go contestants have this same file (a test of internal/contestant compares them, and with -update copies it); it is not counted as source.

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

var (
	handlerDelay = delayFromEnv()
	handlerWork  = workFromEnv()
)

// work is what a handler does before it answers: it waits DYNO_DELAY, and hashes if DYNO_WORK is cpu. Without both it returns at once.
func work() {
	time.Sleep(handlerDelay)
	if handlerWork {
		hashes(15)
	}
}

// hashes is the CPU-bound handler of go-web-framework-benchmark: SHA-256 of "hello world " and a nonce, from 0 until the hash, a number of 256
// bits, is below 2^(256-zeros). It returns how many it took: 10,278 for 15 zeros.
func hashes(zeros int) int {
	text := append(make([]byte, 0, 32), "hello world "...)
	for nonce := 0; ; nonce++ {
		sum := sha256.Sum256(strconv.AppendInt(text, int64(nonce), 10))
		if (uint32(sum[0])<<24|uint32(sum[1])<<16|uint32(sum[2])<<8|uint32(sum[3]))>>(32-zeros) == 0 {
			return nonce + 1
		}
	}
}

// delayFromEnv is DYNO_DELAY, zero if it is not set.
func delayFromEnv() time.Duration {
	text := os.Getenv("DYNO_DELAY")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		log.Fatalf("read DYNO_DELAY: %v", err)
	}
	return d
}

// workFromEnv is whether DYNO_WORK asks for hashing.
func workFromEnv() bool {
	switch w := os.Getenv("DYNO_WORK"); w {
	case "", "cpu":
		return w == "cpu"
	default:
		log.Fatalf("read DYNO_WORK: %q; there is cpu", w)
		return false
	}
}

// stopOnTerm calls shutdown once SIGTERM or an interrupt has come and closes the channel when shutdown is through.
// Half a second is all that open requests are given: a connection that never sent one would hold net/http for five.
func stopOnTerm(shutdown func(context.Context) error) <-chan struct{} {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM, os.Interrupt)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-term
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- shutdown(ctx) }()
		select {
		case err := <-done:
			if err != nil && ctx.Err() == nil {
				log.Printf("shut down: %v", err)
			}
		case <-ctx.Done(): // some shutdowns wait for the last connection, whatever their context says
		}
	}()
	return stopped
}

// exit is the shutdown of a framework that has none.
func exit(context.Context) error {
	os.Exit(0)
	return nil
}

// init serves the figures of the heap at DYNO_STATS, host:port, if it is set.
func init() {
	addr := os.Getenv("DYNO_STATS")
	if addr == "" {
		return
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatalf("serve DYNO_STATS: %v", err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				log.Printf("serve DYNO_STATS: %v", err)
				return
			}
			go answerStats(c)
		}
	}()
}

// answerStats answers one request, GET /stats, with runtime.ReadMemStats, and hangs up.
// Note: by hand, for with net/http the programs that do without it would grow by it.
func answerStats(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	in := bufio.NewReader(c)
	request, err := in.ReadString('\n')
	for line := request; err == nil && line != "\r\n"; {
		line, err = in.ReadString('\n')
	}
	if err != nil {
		return
	}
	status, body := "404 Not Found", []byte("{}\n")
	if len(request) > 11 && request[:11] == "GET /stats " {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		status = "200 OK"
		body, _ = json.Marshal(map[string]uint64{
			"heap_inuse_bytes": m.HeapInuse, "total_alloc_bytes": m.TotalAlloc, "mallocs": m.Mallocs, "num_gc": uint64(m.NumGC),
		})
	}
	fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(body), body)
}
