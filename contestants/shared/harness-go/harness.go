// Package harness does the work that only dyno needs in a Go contestant: it reads the address to listen
// on, makes handlers wait or compute, stops the program at SIGTERM and serves heap statistics. It does
// not count as a contestant's source.
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

// stopTime limits open requests after the signal to stop. net/http would wait five seconds for a
// connection that never sent a request.
const stopTime = 500 * time.Millisecond

// Addr returns the address to listen on, host:port, from DYNO_ADDR.
func Addr() string { return os.Getenv("DYNO_ADDR") }

// Serve calls listen with Addr and returns when the server has stopped: at SIGTERM or an interrupt it
// calls shutdown, which has half a second. shutdown is nil if the framework has none. listen blocks
// until the server ends, as ListenAndServe does; if it fails earlier, the program ends with status 1.
// Serve also serves those listeners in more whose address dyno sets. It is the last call in main.
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
				accepts(Addr()) // a framework may initialize itself in the first listen
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
		if err == nil { // the framework handles the signal itself
			return
		}
	case <-term.Done():
	}
	stop(all)
}

// stop calls each shutdown and waits at most stopTime: some ignore their context and wait for the last
// connection.
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
