package main

// What dyno alone asks of a program: an artificial delay and a quick, clean stop. It is not counted as source.

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

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
		if err := shutdown(ctx); err != nil && ctx.Err() == nil {
			log.Printf("shut down: %v", err)
		}
	}()
	return stopped
}
