package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// dateMoves is how long a Date may stand still: it counts seconds, and servers that write it once a second may be late by one.
const dateMoves = 2 * time.Second

// WatchDate notes the Date of an answer to the first loaded request of s. The function it returns proves that the Date has moved on: it asks
// again until that is seen, for two seconds since the first answer at most, and at least once. What it returns is a *Broken.
func WatchDate(ctx context.Context, s *Scenario, network, addr string, delay time.Duration) (moved func(context.Context) error, err error) {
	first, err := s.date(ctx, network, addr, delay)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	return func(ctx context.Context) error {
		for {
			last := time.Since(began) > dateMoves
			now, err := s.date(ctx, network, addr, delay)
			switch {
			case err != nil:
				return err
			case now.After(first):
				return nil
			case now.Before(first):
				return dateBroken("the Date goes back, from %s to %s", first.Format(http.TimeFormat), now.Format(http.TimeFormat))
			case last:
				return dateBroken("the Date is %s still, more than %v later", first.Format(http.TimeFormat), dateMoves)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(dateMoves / 20):
			}
		}
	}, nil
}

// date asks for the Date of one answer.
func (s *Scenario) date(ctx context.Context, network, addr string, delay time.Duration) (time.Time, error) {
	_, resp, err := s.first(ctx, network, addr, delay)
	if err != nil {
		return time.Time{}, &Broken{"date", "", "connection", err.Error()}
	}
	text, _ := resp.Get("date")
	at, err := http.ParseTime(text)
	if err != nil {
		return time.Time{}, dateBroken("Date is %q, which is no date of HTTP (RFC 9110 §5.6.7)", text)
	}
	return at, nil
}

func dateBroken(format string, args ...any) error {
	return &Broken{"date", "the first loaded request, again", "date", fmt.Sprintf(format, args...)}
}
