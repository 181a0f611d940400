package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// interval is second k in a load: n answers after about 2 ms and some errors.
func interval(k int, n, errors int64) record.Interval {
	h := record.NewHistogram()
	for i := range n {
		h.Record(2_000_000 + 1000*i)
	}
	i := record.Interval{StartNS: int64(k) * 1e9, LengthNS: 1e9, Load: record.Load{Started: n + errors, Succeeded: n},
		Detail: record.Detail{Service: h}}
	if errors > 0 {
		i.Load.Errors = map[string]int64{"reset": errors}
	}
	return i
}

func TestLoadScreen(t *testing.T) {
	for _, width := range []int{80, 34} {
		s := &screen{t: t, width: width}
		l := NewLoad(s, true, func() int { return s.width },
			"http://127.0.0.1:9200/: 20 s over 125 connections", 20*time.Second, 0)
		l.Start()
		s.writes = 0
		for k := range 9 {
			errors := int64(0)
			if k == 6 {
				errors = 3
			}
			l.Tick(interval(k, int64(100*(k%5)), errors))
		}
		if s.writes != 9 {
			t.Errorf("%d writes in 9 s; want one a second", s.writes)
		}
		golden(t, fmt.Sprintf("load-%d.txt", width), s.String())
		l.Tick(interval(20, 7, 1))
		if !strings.Contains(s.String(), "waiting for the last") || strings.Contains(s.String(), "7.00/s") {
			t.Errorf("the drain shows as\n%s", s)
		}
		if l.Close(); strings.Count(s.String(), "\n") > 80/width+1 || !strings.HasPrefix(s.String(), "loading ") {
			t.Errorf("after Close there stands %q", s)
		}
	}
}

func TestLoadPlain(t *testing.T) {
	var b bytes.Buffer
	l := NewLoad(&b, false, nil, "http://h/: 5,000 requests over 2 connections", 0, 5_000)
	l.Start()
	for k := range 17 {
		l.Tick(interval(k, 200, int64(k/8)))
	}
	l.Tick(interval(17, 0, 0))
	l.Tick(interval(19, 0, 0))
	l.Close()
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape code without a TTY")
	}
	golden(t, "load-plain.txt", b.String())
}

// TestLoadPlainAveragesSinceLastLine: a line's figures cover all seconds since the line before, and name the time.
func TestLoadPlainAveragesSinceLastLine(t *testing.T) {
	var b bytes.Buffer
	l := NewLoad(&b, false, nil, "http://h/", 10*time.Second, 0)
	for k := range 10 {
		i := interval(k, 1000, 0)
		if k == 1 {
			i = interval(k, 6000, 0) // the slowest are not in the line's last second
		}
		if k > 4 {
			i.Detail.Response = i.Detail.Service
		}
		l.Tick(i)
	}
	for _, want := range []string{" 2,000/s  service p50 3.00 ms  p99 7.90 ms", " 1,000/s  response p50 2.50 ms"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q in\n%s", want, &b)
		}
	}
}
