package study

import (
	"math"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// rateOf returns the metric that judges a claim's metric: throughput for bytes per second, because
// the bytes in an exchange are known.
func rateOf(metric string) string {
	if m, _ := MetricNamed(metric); m.Bytes {
		return "throughput"
	}
	return metric
}

// exchange returns the bytes per exchange that a bytes-per-second metric counts.
func (e *evidence) exchange(at record.Cell, metric string) judge.Estimate {
	return e.perAnswer(at, func(l *record.Load) int64 {
		if metric == "read_per_sec" {
			return l.BytesRead
		}
		return l.BytesRead + l.BytesWritten
	})
}

// times returns the product x·y, both above 0.
func times(x, y judge.Estimate) judge.Estimate {
	return judge.Estimate{Value: x.Value * y.Value, Lo: x.Lo * y.Lo, Hi: x.Hi * y.Hi, N: min(x.N, y.N)}
}

// trialsAt returns the trials in a cell.
func (e *evidence) trialsAt(trials []*record.Trial, at record.Cell) (out []*record.Trial) {
	for _, t := range trials {
		if t.Contestant == at.Contestant && e.run.Plan.At(t) == at.Level {
			out = append(out, t)
		}
	}
	return out
}

// wrong returns the number of requests in a cell's trials, including discarded ones, that had no
// right answer; no estimate if none of its trials is valid.
func (e *evidence) wrong(at record.Cell) judge.Estimate {
	if len(e.trialsAt(e.valid, at)) == 0 {
		return judge.Estimate{}
	}
	epochs, n := map[int]bool{}, int64(0)
	for _, t := range e.trialsAt(e.run.Trials, at) {
		epochs[t.Epoch] = true
		n += t.Load.Failed + t.Load.Errored()
	}
	return judge.Estimate{Value: float64(n), Lo: float64(n), Hi: float64(n), N: len(epochs)}
}

// perAnswer returns bytes per right answer, with the smallest and largest trial as its interval: it
// only varies if the answers do.
func (e *evidence) perAnswer(at record.Cell, of func(*record.Load) int64) judge.Estimate {
	out := judge.Estimate{Lo: math.Inf(1), Hi: math.Inf(-1)}
	epochs := map[int]bool{}
	var bytes, answers int64
	for _, t := range e.trialsAt(e.valid, at) {
		if t.Load.Succeeded == 0 {
			continue
		}
		epochs[t.Epoch] = true
		bytes, answers = bytes+of(&t.Load), answers+t.Load.Succeeded
		each := float64(of(&t.Load)) / float64(t.Load.Succeeded)
		out.Lo, out.Hi = min(out.Lo, each), max(out.Hi, each)
	}
	if answers == 0 {
		return judge.Estimate{}
	}
	out.Value, out.N = float64(bytes)/float64(answers), len(epochs)
	return out
}
