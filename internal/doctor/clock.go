package doctor

import (
	"context"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// lagRate is the rate at which timer accuracy is measured: requests are 0.5 ms apart, so the engine
// sleeps before each.
const lagRate = 2000

// null measures timer accuracy and ceilings, which need the plain null server.
func (b *setup) null(ctx context.Context) error {
	if b.times.Lag <= 0 && b.times.Ceiling <= 0 {
		return nil
	}
	s, err := b.start(ctx, "null")
	if err != nil {
		return err
	}
	if b.times.Lag > 0 {
		if err := b.punctuality(ctx, s); err != nil {
			return err
		}
	}
	for _, shape := range b.times.Shapes {
		if err := b.ceiling(ctx, s, shape); err != nil {
			return err
		}
	}
	return b.stop(s)
}

// punctuality measures how late the engine sends at a fixed rate.
func (b *setup) punctuality(ctx context.Context, s *server) error {
	b.Note("timer accuracy: 2,000 requests per second")
	shape := Shape{Connections: 50, Pipeline: 1}
	v, err := b.load(ctx, s, shape, paced(lagRate, b.times.Lag))
	if err != nil {
		return err
	}
	if err := v.clean(); err != nil {
		return err
	}
	lag := v.detail.Lag
	b.cal.Waiting = &record.Waiting{
		RatePerSec: lagRate, Requests: v.Succeeded, Spin: b.spins(shape, true),
		RunQueueNS: v.RunQueueNS, WindowNS: v.WindowNS,
		LagP50NS: lag.Quantile(.5), LagP99NS: lag.Quantile(.99), LagMaxNS: lag.Max(),
	}
	return nil
}

// ceiling measures the engine's maximum rate for a load's shape, with the null server, which is
// faster than any contestant.
func (b *setup) ceiling(ctx context.Context, s *server, shape Shape) error {
	b.Note("ceiling: " + shape.String())
	length := b.times.Ceiling
	if shape.PerConnection > 0 {
		length = min(length, perConnection) // each request takes a port
	}
	v, err := b.load(ctx, s, shape, load.Window{For: length})
	if err != nil {
		return err
	}
	c := record.Ceiling{
		Connections: shape.Connections, Pipeline: shape.Pipeline, PerConnection: shape.PerConnection,
		WindowNS: v.WindowNS, Succeeded: v.Succeeded, Errors: v.Errors, RatePerSec: v.perSec(),
	}
	if wall := float64(v.Wall()); wall > 0 {
		generator := float64(max(0, int64(v.client)-v.SpunNS)) / wall / float64(max(1, len(b.cal.Host.GeneratorCPUs)))
		server := float64(v.server) / wall / float64(max(1, len(b.cal.Host.ServerCPUs)))
		c.GeneratorShare, c.ServerShare = &generator, &server
	}
	b.cal.Ceilings = append(b.cal.Ceilings, c)
	return nil
}

// perConnection is the longest window with a connection for each request: at 40,000/s it uses
// 20,000 ports.
const perConnection = 500 * time.Millisecond
