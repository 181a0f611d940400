package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// value is a flag whose text a reader turns into the value of a field.
type value struct {
	to   reflect.Value
	row  *flagRow
	text string // text as given, or the default for the help
	set  bool
}

// String returns the text.
func (v *value) String() string { return v.text }

// Type returns the word for the value.
func (v *value) Type() string { return v.row.Value }

// Set reads the text. A second text is an error, since it would replace the first.
func (v *value) Set(s string) error {
	read := readers[v.row.Read]
	switch {
	case v.set && slices.Contains([]string{"objectives", "statuses", "stages"}, v.row.Read):
		return fmt.Errorf("the flag is given twice; write one list: --%s '%s,%s'", v.row.Name, v.text, s)
	case v.set:
		return errors.New("the flag is given twice; give it once")
	case v.row.Read == "count" && v.row.Most > 0:
		read = as(parseUpTo(v.row.Most))
	case v.row.Read == "one":
		read = as(oneOf(v.row.Words...))
	}
	got, err := read(s)
	if err != nil {
		return err
	}
	v.to.Set(reflect.ValueOf(got))
	v.text, v.set = s, true
	return nil
}

// readers read values of flags, by the word in commands.toml.
var readers = map[string]func(string) (any, error){
	"count": as(parseCount), "span": as(parseSpan), "rate": as(parseRate),
	"rate or none": as(func(s string) (float64, error) {
		if s == "none" {
			return -1, nil
		}
		return parseRate(s)
	}),
	"stages": as(parseStages), "share": as(parsePositive),
	"objectives": as(judge.ParseObjectives), "statuses": as(scenario.ParseStatuses),
	"":     as(func(s string) (string, error) { return s, nil }),
	"text": as(func(s string) (*string, error) { return &s, nil }), // an empty text differs from none
	"http": as(func(s string) (*wire.HTTP, error) {
		h, err := wire.ParseHTTP(s)
		return &h, err
	}),
}

// as makes a reader of a parser.
func as[T any](parse func(string) (T, error)) func(string) (any, error) {
	return func(s string) (any, error) { return parse(s) }
}

// suffixes are number suffixes. A lower-case m is not among them, because it means minutes in a
// duration.
var suffixes = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'g': 1e9, 'G': 1e9}

// scaled reads a number with an optional suffix k, M or G.
func scaled(s string) (float64, error) {
	factor := 1.0
	if s != "" && suffixes[s[len(s)-1]] > 0 {
		factor, s = suffixes[s[len(s)-1]], s[:len(s)-1]
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, errors.New("no number")
	}
	return v * factor, nil
}

// parseCount reads a whole number of at least 1: 5000000, 5M, 10k.
func parseCount(s string) (int64, error) {
	if number, small := strings.CutSuffix(s, "m"); small {
		return 0, fmt.Errorf("%s million, or %s minutes? Write %sM for a number, or -d %sm for a time", number, number,
			number, number)
	}
	v, err := scaled(s)
	if err != nil || v != math.Trunc(v) || v < 1 || v > 1<<53 {
		return 0, errors.New("want a whole number of at least 1, such as 5000, 10k or 5M")
	}
	return int64(v), nil
}

// parseUpTo returns parseCount with an upper limit.
func parseUpTo(most int64) func(string) (int64, error) {
	return func(s string) (int64, error) {
		n, err := parseCount(s)
		if err != nil || n > most {
			return 0, fmt.Errorf("want a whole number from 1 to %d", most)
		}
		return n, nil
	}
}

// parseSpan reads a duration above 0: 10s, 2m, 1m30s, 500ms. A number without a unit is in seconds.
func parseSpan(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if v, number := strconv.ParseFloat(s, 64); number == nil {
		d, err = time.Duration(v*float64(time.Second)), nil
	}
	if err != nil || d <= 0 || d > 1000*time.Hour {
		return 0, errors.New("want a time above 0, such as 10s, 2m, 500ms, or a number of seconds")
	}
	return d, nil
}

// parseRate reads requests per second: 1000, 1k, 50/s, 10/ms, 600/m.
func parseRate(s string) (float64, error) {
	number, unit, given := strings.Cut(s, "/")
	per := map[string]float64{"s": 1, "1s": 1, "sec": 1, "ms": 1e3, "us": 1e6, "m": 1.0 / 60, "min": 1.0 / 60,
		"h": 1.0 / 3600}[unit]
	if !given {
		per = 1
	}
	v, err := scaled(number)
	if v *= per; err != nil || v <= 0 || v > 1e9 {
		return 0, errors.New("want requests per second, such as 1000, 1k, 50/s, 10/ms or 600/m")
	}
	return v, nil
}

// parseStages reads "10s@1000,30s@1000..5000": durations at a rate, or from one rate to another.
func parseStages(s string) ([]load.Stage, error) {
	var stages []load.Stage
	total := 0.0
	for _, part := range strings.Split(s, ",") {
		length, rates, ok := strings.Cut(strings.TrimSpace(part), "@")
		d, err := parseSpan(length)
		if !ok || err != nil {
			return nil, fmt.Errorf("stage %q: want time@rate or time@from..to, such as 10s@1000 or 30s@1000..5000",
				part)
		}
		low, high, ramp := strings.Cut(rates, "..")
		from, err := stageRate(low)
		to := from
		if ramp && err == nil {
			to, err = stageRate(high)
		}
		if err != nil {
			return nil, fmt.Errorf("stage %q: %w", part, err)
		}
		stages = append(stages, load.Stage{For: d, From: from, To: to})
		total += from + to
	}
	if total == 0 {
		return nil, errors.New("every stage has rate 0; want at least one above 0")
	}
	return stages, nil
}

// stageRate reads a rate, or 0 for a pause.
func stageRate(s string) (float64, error) {
	if s == "0" {
		return 0, nil
	}
	return parseRate(s)
}

// oneOf returns a parser that accepts one of the given words.
func oneOf(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("want %s", strings.Join(words, " or "))
		}
		return s, nil
	}
}
