package importer

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// heyHeader is the first line in hey's CSV: one request a line, times in seconds.
const heyHeader = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"

// heyCSV computes the figures that hey would have printed for these requests. Their position is the
// first request's.
func (r *reader) heyCSV(rest []byte) error {
	var times []float64
	sum, end, lineNumber, failed := 0.0, 0.0, 1, 0
	for line := range bytes.Lines(rest) {
		lineNumber++
		cells := strings.Split(strings.TrimSpace(string(line)), ",")
		if cells[0] == "" && len(cells) == 1 {
			continue
		}
		if len(cells) != 8 {
			r.trouble(lineNumber, 1, "%d cells; hey writes 8", len(cells))
			continue
		}
		took, err1 := strconv.ParseFloat(cells[0], 64)
		offset, err2 := strconv.ParseFloat(cells[7], 64)
		if err1 != nil || err2 != nil || !(took >= 0 && took < 1e9 && offset >= 0 && offset < 1e9) {
			r.trouble(lineNumber, 1, "want seconds in the first and the last cell, not %q and %q", cells[0], cells[7])
			continue
		}
		if !strings.HasPrefix(cells[6], "2") {
			failed++
		}
		times = append(times, took)
		end = max(end, offset+took)
	}
	if len(times) == 0 {
		return nil
	}
	row := r.newRow("hey")
	add := func(metric string, v float64, unit Unit, form string) {
		row.compute(r.place(2, 1), metric, v, unit, fmt.Sprintf(form, v)).Digits = 6
	}
	slices.Sort(times)
	for _, t := range times {
		sum += t
	}
	n := float64(len(times))
	add("requests", n, None, "%.0f requests")
	add("non2xx", float64(failed), None, "%.0f")
	if end > 0 {
		add("time", end, Seconds, "%.4g s")
		add("rps", n/end, PerSec, "%.6g req/s")
	}
	add("latency_mean", sum/n, Seconds, "%.4g s")
	add("latency_max", times[len(times)-1], Seconds, "%.4g s")
	for _, p := range []float64{50, 90, 99} { // by nearest rank, as hey does
		add(fmt.Sprintf("p%g", p), times[min(int(math.Ceil(p/100*n)), len(times))-1], Seconds, "%.4g s")
	}
	return nil
}
