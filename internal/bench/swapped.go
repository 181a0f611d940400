package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/wire"
)

// swapped tries a program that is replaced after its build. It must not be started.
func swapped(ctx context.Context) MutantFinding {
	f := MutantFinding{Mutant: "swapped-program", Does: "another program is put in its place after it was built"}
	dir, err := machine.MkdirTemp("", "dyno-swapped-")
	if err != nil {
		f.Err = err
		return f
	}
	defer machine.RemoveTemp(dir)
	program := filepath.Join(dir, "program")
	m := &contestant.Manifest{Name: "swapped-program", Program: program, Run: []string{"{out}/program"}}
	b, err := contestant.Prebuilt(m, contestant.Toolchain{})
	if err == nil {
		err = os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o755)
	}
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
