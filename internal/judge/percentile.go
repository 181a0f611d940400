package judge

// Beyond returns the number of requests that must exceed quantile q for it to be reported: 10, and
// 100 beyond p99, where a few rare events determine the value (doc/method.md, percentiles).
func Beyond(q float64) int {
	if q > 0.99+1e-9 {
		return 100
	}
	return 10
}

// Bears reports whether n requests are enough to report quantile q.
func Bears(n int64, q float64) bool { return float64(n)*(1-q) >= float64(Beyond(q))-1e-6 }
