package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// mutantFinding is the verdict on a server with a known defect.
type mutantFinding struct {
	Mutant string // the mutant's name; "" for the reference, which has no defect
	Does   string // the defect in words
	Check  string // the check that found a defect; "": none
	Reason string // the check's message
	Err    error  // why the server could not be verified

	trial mutantTrial
}

// right reports whether the verdict is right: the reference satisfies the contract, a mutant does not.
func (f *mutantFinding) right() bool { return f.Err == nil && (f.Mutant == "") == (f.Check == "") }

// findMutants tests the verification of s. The verification must accept the reference, in the first findings, and
// find the defect in every mutant that applies to s. Invented records replace a service's.
func findMutants(ctx context.Context, e load.Engine, s *scenario.Scenario) ([]mutantFinding, error) {
	s, err := s.Bind(inventedRecords)
	if err == nil {
		err = refserver.Can(s)
	}
	if err != nil {
		return nil, err
	}
	ref, waits := &refserver.Reference{Scenario: s}, &refserver.Reference{Scenario: s, Delay: refDelay}
	findings := []mutantFinding{{Does: "nothing wrong"}, {Does: "nothing wrong, with a delay", trial: tryWaiting},
		{Does: "nothing wrong, and ends", trial: tryEnding}}
	serve := []func(context.Context, net.Listener) error{ref.Serve, waits.Serve, ref.Serve}
	for _, m := range refMutantsOf(s) {
		findings = append(findings, mutantFinding{Mutant: m.Name, Does: m.Does, trial: m.Trial})
		serve = append(serve, func(ctx context.Context, ln net.Listener) error { return m.Serve(ctx, ln, ref) })
	}
	var last mutantFinding
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := range findings {
		all.Go(func() {
			if findings[i].trial == tryAnswers {
				slots <- struct{}{}
				defer func() { <-slots }()
			}
			findings[i].try(ctx, e, s, serve[i])
		})
	}
	all.Go(func() { last = swapped(ctx) })
	all.Wait()
	return append(findings, last), ctx.Err()
}

const (
	refDelay    = 200 * time.Millisecond // the delay of the reference
	mutantDelay = 2 * time.Second        // that of mutants that do not wait: busy machines answer sooner, too
	grace       = 5 * time.Second        // time for a server to end after SIGTERM
)

var errStays = fmt.Errorf("it kept running for %v after SIGTERM", grace)

// atOnce is the number of servers that are sent requests and loads concurrently. The others of a scenario mostly wait.
const atOnce = 4

// try verifies one server and fills in the verdict.
func (f *mutantFinding) try(ctx context.Context, e load.Engine, s *scenario.Scenario, serve func(context.Context,
	net.Listener) error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Err = err
		return
	}
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- serve(serving, ln) }()
	to := contracted{Endpoint: wire.TCP(ln.Addr().String())}
	switch f.trial {
	case tryWaiting:
		if to.Delay = refDelay; f.Mutant != "" {
			to.Delay = mutantDelay
		}
		err = waitsFor(ctx, e, s, to)
	case tryEnding:
		err = ends(func() error {
			stop()
			select {
			case err := <-done:
				done <- err
				return err
			case <-time.After(grace):
				ln.Close()
				return errStays
			}
		})
	default:
		_, err = keepsContract(ctx, e, s, to)
	}
	var broken *scenario.Broken
	switch {
	case errors.As(err, &broken):
		f.Check, f.Reason = broken.Check, broken.Error()
	case err != nil:
		f.Err = err
	}
	stop()
	if err := <-done; err != nil && f.Err == nil && f.trial != tryEnding {
		f.Err = err
	}
}

// inventedRecords invents a service's response with ten records.
func inventedRecords(string) ([]byte, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []string
	for range 10 {
		all = append(all, fmt.Sprintf(`{"Id":"id_%d","Name":"name_%d","Time":%d}`, rng.Int64(), rng.Int64(),
			rng.Int32()))
	}
	return []byte("[" + strings.Join(all, ",") + "]\n"), nil
}

// swapped tries a program that is replaced after its build. It must not be started.
func swapped(ctx context.Context) mutantFinding {
	f := mutantFinding{Mutant: "swapped-program", Does: "another program is put in its place after it was built"}
	dir, err := machine.MkdirTemp("", "dyno-swapped-")
	if err != nil {
		f.Err = err
		return f
	}
	defer machine.RemoveTemp(dir)
	program := filepath.Join(dir, "program")
	b := contestant.Commanded(&contestant.Manifest{Name: "swapped-program",
		Command: &contestant.Command{Line: "./program", Dir: dir}})
	err = os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o755)
	if err == nil {
		_, _, err = b.Identify()
	}
	if err == nil {
		err = os.WriteFile(program, []byte("#!/bin/sh\nexit 2\n"), 0o755)
	}
	if err != nil {
		f.Err = err
		return f
	}
	o := contestant.LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "log"),
		Probe: func(context.Context, wire.Endpoint) error { return errors.New("it does not respond") }}
	i, err := contestant.Launch(ctx, b, o)
	switch {
	case err == nil:
		f.Err = i.Stop()
	case errors.Is(err, contestant.ErrChanged):
		f.Check, f.Reason = "its hash", err.Error()
	}
	return f
}
