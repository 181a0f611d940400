// Package harness does what dyno alone asks of a Go contestant: it says where to listen, makes
// handlers wait or compute, stops the program at SIGTERM and serves figures of its heap. It is not
// counted as a contestant's source.
package harness

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopTime is how long open requests may take once the program is to stop. A connection that never
// sent a request would hold net/http for five seconds.
const stopTime = 500 * time.Millisecond

// Addr is host:port to listen on, DYNO_ADDR.
func Addr() string { return os.Getenv("DYNO_ADDR") }

// Serve calls listen with Addr and returns when the server has stopped: at SIGTERM or an interrupt it
// calls shutdown, which has half a second. Where a framework has no shutdown, it is nil. listen blocks
// until the server ends, as ListenAndServe does; an error of it before that ends the program with
// status 1. The listeners of more whose address dyno asks for are served beside it in the same way.
// Serve is the last call of main.
func Serve(listen func(addr string) error, shutdown func(context.Context) error, more ...Listener) {
	term, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	all := []Listener{{Addr(), listen, shutdown}}
	for _, l := range more {
		if l.addr != "" {
			all = append(all, l)
		}
	}
	ended := make(chan error, len(all))
	for i, l := range all {
		go func() {
			if i > 0 {
				accepts(Addr()) // a framework may set itself up in the first listen
			}
			err := l.listen(l.addr)
			if err != nil {
				err = fmt.Errorf("serve at %s: %w", l.addr, err)
			}
			ended <- err
		}()
	}
	select {
	case err := <-ended:
		if err != nil && term.Err() == nil {
			log.Fatal(err)
		}
		if err == nil { // a framework that heeds the signal by itself
			return
		}
	case <-term.Done():
	}
	stop(all)
}

// stop calls each shutdown and waits for them no longer than stopTime: some wait for the last
// connection, whatever their context says.
func stop(all []Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	done := make(chan error, len(all))
	waits := 0
	for _, l := range all {
		if l.shutdown != nil {
			waits++
			go func() { done <- l.shutdown(ctx) }()
		}
	}
	for ; waits > 0; waits-- {
		select {
		case err := <-done:
			if err != nil && ctx.Err() == nil {
				log.Printf("shut down: %v", err)
			}
		case <-ctx.Done():
			return
		}
	}
}
