package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/refserver"
)

// knownDelays are the delays of the reference servers. The first must be 0: it shows the round-trip
// time.
var knownDelays = []time.Duration{0, time.Millisecond, 5 * time.Millisecond}

// delayRate sets requests 2.7 ms apart, which is not a divisor of a delay. A response that arrives
// exactly when the next request is due would find the loop awake, and be seen 40 µs earlier.
const delayRate = 370

// delayWindows is the number of windows for each delay, whose median counts. In a single window
// that lasts a second, another program that uses the CPU once for 10 ms would determine the 99th
// percentile.
const delayWindows = 3

// delays measures the engine's errors for known delays.
func (b *setup) delays(ctx context.Context) error {
	if b.times.Delay <= 0 {
		return nil
	}
	for _, d := range knownDelays {
		b.Note("known delay: " + d.String())
		var windows []record.KnownDelay
		for range delayWindows {
			w, err := b.delay(ctx, d)
			if err != nil {
				return err
			}
			windows = append(windows, w)
		}
		b.cal.Delays = append(b.cal.Delays, middle(windows))
	}
	setErrors(b.cal.Delays)
	return nil
}

// delay loads a server that waits for d in one window.
func (b *setup) delay(ctx context.Context, d time.Duration) (record.KnownDelay, error) {
	none, name := record.KnownDelay{}, "null+"+d.String()
	s, err := b.start(ctx, name)
	if err != nil {
		return none, err
	}
	v, err := b.load(ctx, s, Shape{Connections: 16, Pipeline: 1}, paced(delayRate, b.times.Delay))
	if err != nil {
		return none, err
	}
	if err := v.clean(); err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	if err := b.stop(s); err != nil {
		return none, err
	}
	tally, err := readTally(s.log)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return record.KnownDelay{
		DelayNS: int64(d), Requests: v.Succeeded, TrueP50NS: tally.Service.P50NS, TrueP99NS: tally.Service.P99NS,
		SeenP50NS: v.detail.Service.Quantile(.5), SeenP99NS: v.detail.Service.Quantile(.99),
	}, nil
}

// middle returns the window with the median error in the 99th percentile.
func middle(windows []record.KnownDelay) record.KnownDelay {
	off := func(d record.KnownDelay) int64 { return d.SeenP99NS - d.TrueP99NS }
	slices.SortFunc(windows, func(a, b record.KnownDelay) int { return cmp.Compare(off(a), off(b)) })
	return windows[len(windows)/2]
}

// setErrors sets the errors, once the round-trip time is known from the first window, which has no
// delay.
func setErrors(delays []record.KnownDelay) {
	for i := range delays {
		d := &delays[i]
		d.RoundTripNS = delays[0].SeenP50NS - delays[0].TrueP50NS
		d.ErrorP50NS = d.SeenP50NS - d.TrueP50NS - d.RoundTripNS
		d.ErrorP99NS = d.SeenP99NS - d.TrueP99NS - d.RoundTripNS
	}
}

// readTally reads the tally that a server with a known delay reports when it ends: the last line in
// its log.
func readTally(log string) (*refserver.Tally, error) {
	last := machine.Tail(log, 1)
	var t refserver.Tally
	if len(last) == 0 || json.Unmarshal([]byte(last[0]), &t) != nil || t.Service == nil {
		return nil, fmt.Errorf("it did not report its delays when it ended: %q", last)
	}
	return &t, nil
}
