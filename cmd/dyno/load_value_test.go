package main

import (
	"slices"
	"testing"
	"time"

	"dyno/internal/load"
)

func TestParseCount(t *testing.T) {
	for s, want := range map[string]int64{"1": 1, "5000000": 5_000_000, "5M": 5_000_000, "10k": 10_000, "10K": 10_000,
		"1.5k": 1500, "2G": 2_000_000_000, "5_000": 5000, "1e6": 1_000_000} {
		if got, err := parseCount(s); err != nil || got != want {
			t.Errorf("%s: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "1.5", "k", "5x", "NaN", "inf", "10 k"} {
		if got, err := parseCount(s); err == nil {
			t.Errorf("%q: %d", s, got)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for s, want := range map[string]time.Duration{"10s": 10 * time.Second, "2m": 2 * time.Minute,
		"30": 30 * time.Second, "0.5": 500 * time.Millisecond, "1m30s": 90 * time.Second} {
		if got, err := parseSpan(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "0", "-1s", "10 s", "ten", "NaN", "1e300"} {
		if got, err := parseSpan(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	for s, want := range map[string]float64{"1000": 1000, "1k": 1000, "50/s": 50, "10/ms": 10_000, "600/m": 10,
		"0.5": .5, "7200/h": 2, "50/1s": 50} {
		if got, err := parseRate(s); err != nil || got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "0", "-5", "5/", "5/day", "/s", "x"} {
		if got, err := parseRate(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestParseStages(t *testing.T) {
	got, err := parseStages("10s@1000, 30@1k..5k,1s@0")
	want := []load.Stage{{For: 10 * time.Second, From: 1000, To: 1000}, {For: 30 * time.Second, From: 1000, To: 5000},
		{For: time.Second}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "10s", "@5", "10s@", "10s@5..", "10s@0", "10s@5,,1s@5", "x@5"} {
		if got, err := parseStages(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}
