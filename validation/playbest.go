package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dyno/internal/importer"
	"dyno/internal/machine"
)

// The tool and the loads as a user would type them, without pinning to CPUs.
const (
	bestOfTool = "wrk"
	bestOfLoad = 5 * time.Second
)

// bestOf makes best-of-three comparisons and appends each to file.
func (s *session) bestOf(ctx context.Context, file string, more int) error {
	out, err := machine.CombinedOutput(exec.CommandContext(ctx, bestOfTool, "-v")) // wrk ends with 1
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " Copyright")
	if !strings.HasPrefix(version, bestOfTool) {
		return fmt.Errorf("%s does not report its version: %q, %w", bestOfTool, out, err)
	}
	done, err := readFile(file, ReadBestOf)
	if err != nil {
		return err
	}
	commit := s.commit(ctx, file)
	return RunBestOf(ctx, &BestOfOptions{
		Done: done, More: more,
		Play: func(ctx context.Context, n int, hog bool) (*BestOf, error) {
			h := machine.Describe()
			b := &BestOf{Number: n, Hog: hog, Tool: version, Seconds: bestOfLoad.Seconds(), Commit: commit,
				Started: time.Now().UTC().Format(time.RFC3339), Machine: fmt.Sprintf("%s, %d CPUs", h.CPU, h.CPUs)}
			return b, s.playBestOf(ctx, b)
		},
		Keep: func(b BestOf) error {
			fmt.Fprintf(s.stdout, "%d %v\n", b.Number, b.PerSec)
			return keepLine(file, b)
		},
	})
}

// playBestOf loads one server and then the other, three times each, and stores the rates in b.PerSec.
func (s *session) playBestOf(ctx context.Context, b *BestOf) (err error) {
	dir, err := machine.MkdirTemp("", "dyno-best-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(dir)) }()
	if b.Hog {
		stop, err := s.startHog(dir, uint64(b.Number))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	for i, name := range []string{"ref", "ref'"} {
		if b.PerSec[i], err = loadsOf(ctx, []string{s.self, "refserver", name}, dir); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// loadsOf starts a server and returns the rates under three loads.
func loadsOf(ctx context.Context, argv []string, dir string) (rates []float64, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := free.Addr().String()
	free.Close()
	p, err := machine.Start(machine.Command{Argv: argv, Dir: dir, Log: filepath.Join(dir, "server.log"),
		Env: machine.Environment(dir, dir, 0, map[string]string{"DYNO_ADDR": addr})})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop(time.Second)) }()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(began) > 10*time.Second || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
	}
	for range BestOfLoads {
		seconds := strconv.Itoa(int(bestOfLoad.Seconds()))
		out, err := machine.CombinedOutput(exec.CommandContext(ctx, bestOfTool, "-t1", "-c125", "-d"+seconds,
			"http://"+addr+"/"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", bestOfTool, err, out)
		}
		doc, err := importer.Read(bestOfTool, out, "")
		if err != nil {
			return nil, err
		}
		if len(doc.Rows) != 1 || doc.Rows[0].One(importer.PerSec, "rps") == nil {
			return nil, fmt.Errorf("%s printed no rate:\n%s", bestOfTool, out)
		}
		rates = append(rates, doc.Rows[0].One(importer.PerSec, "rps").Value)
	}
	return rates, nil
}
