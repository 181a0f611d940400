package importer

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// heyHeader begins hey's CSV: one request a line, times in seconds.
const heyHeader = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"

// heyCSV computes from hey's requests what it would have printed of them; the figures stand at the first request.
func (r *reader) heyCSV(rest []byte) error {
	var times []float64
	end, number := 0.0, 1
	failed := 0
	for line := range bytes.Lines(rest) {
		number++
		cells := strings.Split(strings.TrimSpace(string(line)), ",")
		if cells[0] == "" && len(cells) == 1 {
			continue
		}
		if len(cells) != 8 {
			r.trouble(number, 1, "%d cells, where hey writes 8", len(cells))
			continue
		}
		took, err1 := strconv.ParseFloat(cells[0], 64)
		offset, err2 := strconv.ParseFloat(cells[7], 64)
		if err1 != nil || err2 != nil || !(took >= 0 && took < 1e9 && offset >= 0 && offset < 1e9) {
			r.trouble(number, 1, "want seconds in the first and the last cell, not %q and %q", cells[0], cells[7])
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
	slices.Sort(times)
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	derive := func(metric string, v float64, unit Unit, text string) {
		row.Figures = append(row.Figures, &Figure{Place: r.at(2, 1), Row: row, Metric: metric, Text: text, Unit: unit, Value: v, Lo: v, Hi: v, Digits: 6})
	}
	n := float64(len(times))
	derive("requests", n, None, fmt.Sprintf("%d requests", len(times)))
	derive("non2xx", float64(failed), None, strconv.Itoa(failed))
	if end > 0 {
		derive("time", end, Seconds, fmt.Sprintf("%.4g s", end))
		derive("rps", n/end, PerSec, fmt.Sprintf("%.6g req/s", n/end))
	}
	derive("latency_mean", sum/n, Seconds, fmt.Sprintf("%.4g s", sum/n))
	derive("latency_max", times[len(times)-1], Seconds, fmt.Sprintf("%.4g s", times[len(times)-1]))
	for _, p := range []float64{50, 90, 99} {
		v := times[min(int(math.Ceil(p/100*n)), len(times))-1]
		derive(fmt.Sprintf("p%g", p), v, Seconds, fmt.Sprintf("%.4g s", v))
	}
	return nil
}
