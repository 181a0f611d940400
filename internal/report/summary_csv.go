package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"dyno/internal/document"
)

// SummaryCSV writes a header and a row per second:
//
//	second,requests_per_sec,started,errors,failed,p50_ns,p99_ns,max_ns,lag_p50_ns,lag_p99_ns,run_queue_share,bytes_read,sent_again,cpu
//
// A field is empty if it was not measured; so is the rate in the last row, if the window did not
// fill that second.
func SummaryCSV(w io.Writer, s *Summary) error {
	out := csv.NewWriter(w)
	out.Write([]string{"second", "requests_per_sec", "started", "errors", "failed", "p50_ns", "p99_ns", "max_ns",
		"lag_p50_ns", "lag_p99_ns", "run_queue_share", "bytes_read", "sent_again", "cpu"})
	cpu := document.CSVCell(s.CPU)
	measured := s.Usage().Known
	for _, sec := range s.Seconds {
		rate, queue := "", ""
		if s.filled(sec) {
			rate = summaryDecimal(round(sec.perSec()))
		}
		if measured {
			queue = summaryDecimal(share(float64(sec.RunQueueNS) / float64(sec.LengthNS*int64(s.Load.Workers))))
		}
		out.Write([]string{summaryDecimal(sec.second()), rate, integer(sec.Started), integer(sec.Errored),
			integer(sec.Failed), orEmpty(sec.P50NS), orEmpty(sec.P99NS), orEmpty(sec.MaxNS), orEmpty(sec.LagP50NS),
			orEmpty(sec.LagP99NS), queue, integer(sec.BytesRead), integer(sec.SentAgain), cpu})
	}
	out.Flush()
	return out.Error()
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

func summaryDecimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func orEmpty(ns int64) string {
	if ns == 0 {
		return ""
	}
	return integer(ns)
}
