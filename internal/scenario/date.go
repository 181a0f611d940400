package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"dyno/internal/wire"
)

// dateMoves limits how long a Date may stay unchanged. Date counts seconds, and a server that updates it once
// a second may be one second late.
const dateMoves = 2 * time.Second

// WatchDate notes the Date in a response to the first loaded request. The returned function verifies that the
// Date advances: it asks at least once, and again for up to two seconds after the first response. Its error
// is a *Broken or the context's.
func WatchDate(ctx context.Context, s *Scenario, to wire.Endpoint, delay time.Duration) (
	moved func(context.Context) error, err error) {
	first, err := s.date(ctx, to, delay)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	return func(ctx context.Context) error {
		for {
			last := time.Since(began) > dateMoves
			now, err := s.date(ctx, to, delay)
			switch {
			case err != nil:
				return err
			case now.After(first):
				return nil
			case now.Before(first):
				return dateBroken("the Date header went backwards, from %s to %s",
					first.Format(http.TimeFormat), now.Format(http.TimeFormat))
			case last:
				return dateBroken(
					"the Date header is still %s after more than %v", first.Format(http.TimeFormat), dateMoves)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(dateMoves / 20):
			}
		}
	}, nil
}

// date returns the Date of one response.
func (s *Scenario) date(ctx context.Context, to wire.Endpoint, delay time.Duration) (time.Time, error) {
	_, resp, err := s.first(ctx, to, verifyTimeout+delay, Options{})
	if err != nil {
		return time.Time{}, &Broken{"date", "", "connection", err.Error()}
	}
	text, _ := resp.Get("date")
	at, err := http.ParseTime(text)
	if err != nil {
		return time.Time{}, dateBroken("Date is %q, which is not an HTTP date (RFC 9110 §5.6.7)", text)
	}
	return at, nil
}

func dateBroken(format string, args ...any) error {
	return &Broken{"date", "the first loaded request, again", "date", fmt.Sprintf(format, args...)}
}
