package record

// Calibration holds dyno's measurements of a machine, and of its own accuracy there, with servers
// whose behaviour is known. A value is nil if it was not measured, because the calibration was
// quick or the machine does not report it.
type Calibration struct {
	Format        int    `json:"format"`
	Dyno          string `json:"dyno"`    // version of dyno
	BootID        string `json:"boot_id"` // of the host: the results are valid until the next boot
	StartedUnixNS int64  `json:"started_unix_ns"`
	EndedUnixNS   int64  `json:"ended_unix_ns"`
	Quick         bool   `json:"quick,omitempty"`
	Host          Host   `json:"host"`
	Facts         Facts  `json:"facts"`

	Waiting  *Waiting     `json:"waiting,omitempty"`
	Ceilings []Ceiling    `json:"ceilings,omitempty"`
	Delays   []KnownDelay `json:"delays,omitempty"`
	Noise    *Noise       `json:"noise,omitempty"`
}

// LatencyErrorP99NS returns the largest p99 error among the known delays, without its sign; false
// if none was measured.
func (c *Calibration) LatencyErrorP99NS() (ns int64, ok bool) {
	for _, d := range c.Delays {
		ns, ok = max(ns, d.ErrorP99NS, -d.ErrorP99NS), true
	}
	return ns, ok
}

// Facts are machine settings that affect measurements, beyond those in Host. Unknown ones are empty
// or nil.
type Facts struct {
	// sys/devices/system/cpu/smt/control: on, off, forceoff, notsupported, notimplemented
	SMT string `json:"smt,omitempty"`
	// CPUs of each core that has a thread for the server and one for the generator
	SplitCores  [][]int `json:"split_cores,omitempty"`
	ClockSource string  `json:"clock_source,omitempty"`

	HardFileLimit  *int64 `json:"hard_file_limit,omitempty"`
	PortLow        *int64 `json:"port_low,omitempty"` // both ends of ip_local_port_range, inclusive
	PortHigh       *int64 `json:"port_high,omitempty"`
	AvailableBytes *int64 `json:"available_bytes,omitempty"`
	SwapUsedBytes  *int64 `json:"swap_used_bytes,omitempty"`
}

// Waiting describes how late the engine sends periodic requests.
type Waiting struct {
	RatePerSec float64 `json:"rate_per_sec"`
	Requests   int64   `json:"requests"`
	Spin       bool    `json:"spin"` // the loops polled through the last stretch instead of sleeping
	LagP50NS   int64   `json:"lag_p50_ns"`
	LagP99NS   int64   `json:"lag_p99_ns"`
	LagMaxNS   int64   `json:"lag_max_ns"`
	RunQueueNS int64   `json:"run_queue_ns"` // time that the event loops waited for their CPU, within the window
	WindowNS   int64   `json:"window_ns"`
}

// Ceiling is the highest rate that the engine reaches for one load shape, in a closed loop against
// the null server.
type Ceiling struct {
	Connections   int              `json:"connections"`
	Pipeline      int              `json:"pipeline"`
	PerConnection int              `json:"per_connection,omitempty"` // requests per connection; 0: no limit
	WindowNS      int64            `json:"window_ns"`
	Succeeded     int64            `json:"succeeded"`
	Errors        map[string]int64 `json:"errors,omitempty"`
	RatePerSec    float64          `json:"rate_per_sec"`
	// share of the generator's CPUs that was used
	GeneratorShare *float64 `json:"generator_cpu_share,omitempty"`
	ServerShare    *float64 `json:"server_cpu_share,omitempty"` // share of the server's CPUs that was used
}

// KnownDelay compares the service times that the engine measured with those that the server
// reports. An error is their difference minus RoundTripNS, the round-trip time: the difference
// between the medians without a delay.
type KnownDelay struct {
	DelayNS     int64 `json:"delay_ns"`
	Requests    int64 `json:"requests"`
	SeenP50NS   int64 `json:"seen_p50_ns"`
	SeenP99NS   int64 `json:"seen_p99_ns"`
	TrueP50NS   int64 `json:"true_p50_ns"`
	TrueP99NS   int64 `json:"true_p99_ns"`
	RoundTripNS int64 `json:"round_trip_ns"`
	ErrorP50NS  int64 `json:"error_p50_ns"`
	ErrorP99NS  int64 `json:"error_p99_ns"`
}

// Noise holds the differences between identical servers that are loaded in turn, and the machine's
// background load meanwhile.
type Noise struct {
	Servers     []string     `json:"servers"` // ref and copies
	TrialNS     int64        `json:"trial_ns"`
	Connections int          `json:"connections"`
	Rounds      []NoiseRound `json:"rounds"`
}

// NoiseRound is one trial on each server, in random order. Rates and costs are in the order of
// Noise.Servers.
type NoiseRound struct {
	Causes          Causes    `json:"causes"`
	RatePerSec      []float64 `json:"rate_per_sec"`
	CPUPerRequestNS []float64 `json:"cpu_per_request_ns"`
}
