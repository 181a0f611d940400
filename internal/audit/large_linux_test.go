package audit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/importer"
)

// largeTable returns a table with so many rows, beginning with the first columns of a row without
// faults.
func largeTable(rows, columns int) []byte {
	var b bytes.Buffer
	line := func(cells ...string) { b.WriteString(strings.Join(cells[:columns], ",") + "\n") }
	line("name", "connections", "rps", "latency_ms", "p50_ms", "p99_ms", "requests", "time_s", "p75_ms", "p90_ms",
		"p999_ms", "max latency ms")
	for i := range rows {
		rps := 1000.5 + float64(i%977)
		ms := func(share float64) string { return fmt.Sprintf("%.3f", share*100e3/rps) }
		line(fmt.Sprintf("s%d", i), "100", fmt.Sprint(rps), ms(1), ms(.9), ms(2), fmt.Sprint(10*rps), "10", ms(1.1), ms(1.2),
			ms(3), ms(4))
	}
	return b.Bytes()
}

// BenchmarkLarge is what dyno audit takes for large tables; cpu-s is the median CPU time, in s:
//
//	go test ./internal/audit -run xxx -bench Large -benchtime 5x
func BenchmarkLarge(b *testing.B) {
	for _, size := range []struct{ rows, columns int }{
		{1_000_000, 3}, {1_000_000, 12}, {250_000, 6}, {500_000, 6}, {1_000_000, 6},
	} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d", size.rows, size.columns), func(b *testing.B) {
			data := largeTable(size.rows, size.columns)
			var took []float64
			for b.Loop() {
				before := usedCPU(b)
				doc, err := importer.Read("large.csv", data, "")
				if err == nil {
					err = Text(io.Discard, Examine([]*importer.Document{doc}), 80, false)
				}
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, (usedCPU(b) - before).Seconds())
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "cpu-s")
		})
	}
}

// usedCPU returns this process's CPU time so far.
func usedCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
