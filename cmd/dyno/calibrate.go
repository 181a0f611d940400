package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/doctor"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/refserver"
)

// calibrate measures this machine and reports each step. It stores the result in dyno's cache,
// unless the calibration is quick.
func calibrate(ctx context.Context, stderr io.Writer, quick bool) (*record.Calibration, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	start := time.Now()
	c, err := doctor.Calibrate(ctx, doctor.CalibrationOptions{
		Dyno: version(), Self: []string{self, "refserver"}, Scenario: refserver.PlainScenario(), Quick: quick,
		Note: func(text string) {
			fmt.Fprintf(stderr, "%4s  %s\n", time.Since(start).Round(time.Second), text)
		},
	})
	if err == nil && !quick {
		if kept := doctor.WriteCalibration(c); kept != nil {
			fmt.Fprintln(stderr, "dyno:", kept)
		}
	}
	return c, err
}

// calibrated returns this machine's calibration for a run of plan p; nil if there is none. If
// latencies decide, and there is no valid calibration with an acceptable error, it
// calibrates first.
func calibrated(cmd *cobra.Command, p *record.Plan) (*record.Calibration, error) {
	stderr := cmd.ErrOrStderr()
	c, err := doctor.LastCalibration()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(stderr, "dyno:", err)
	}
	if !judge.LatenciesDecide(p) || judge.Uncalibrated(c, machine.BootID(), p.Origin.StartedUnixNS) == "" {
		return c, nil
	}
	fmt.Fprintln(stderr, "this run depends on latencies and there is no valid calibration from the last hour; "+
		"calibrating for 40 s, as dyno doctor does")
	if c, err = calibrate(cmd.Context(), stderr, false); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	fmt.Fprintln(stderr)
	p.Origin.StartedUnixNS = time.Now().UnixNano()
	return c, nil
}
