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

	Clock    *Clock       `json:"clock,omitempty"` // only in older records
	Waiting  *Waiting     `json:"waiting,omitempty"`
	Ceilings []Ceiling    `json:"ceilings,omitempty"`
	Delays   []KnownDelay `json:"delays,omitempty"`
	Stall    *KnownStall  `json:"stall,omitempty"` // only in older records
	Costs    []KnownCost  `json:"costs,omitempty"` // only in older records
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

	// Only in older records.
	Turbo         string `json:"turbo,omitempty"` // on or off
	THP           string `json:"thp,omitempty"`   // always, madvise, never
	TimeWaitReuse *int64 `json:"tcp_tw_reuse,omitempty"`
	TCPTimestamps *int64 `json:"tcp_timestamps,omitempty"`
	Somaxconn     *int64 `json:"somaxconn,omitempty"`
	ASLR          *int64 `json:"aslr,omitempty"`
	TimerSlackNS  *int64 `json:"timer_slack_ns,omitempty"`
}

// Clock is the cost of reading the time. A step is the smallest difference between two readings.
type Clock struct {
	CostNS float64 `json:"cost_ns"`
	StepNS int64   `json:"step_ns"`
}

// Waiting describes how late the engine sends periodic requests. In older records the Sleeps fields
// describe a goroutine that sleeps.
type Waiting struct {
	RatePerSec float64 `json:"rate_per_sec"`
	Requests   int64   `json:"requests"`
	Spin       bool    `json:"spin"` // the loops polled through the last stretch instead of sleeping
	LagP50NS   int64   `json:"lag_p50_ns"`
	LagP99NS   int64   `json:"lag_p99_ns"`
	LagMaxNS   int64   `json:"lag_max_ns"`
	RunQueueNS int64   `json:"run_queue_ns"` // time that the event loops waited for their CPU, within the window
	WindowNS   int64   `json:"window_ns"`
	Sleeps     int64   `json:"sleeps,omitempty"`
	SleepP50NS int64   `json:"sleep_p50_ns,omitempty"`
	SleepP99NS int64   `json:"sleep_p99_ns,omitempty"`
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

// KnownStall is the p99 response time in an open loop against a server that stalls for the last
// StallNS in every PeriodNS.
type KnownStall struct {
	StallNS       int64   `json:"stall_ns"`
	PeriodNS      int64   `json:"period_ns"`
	RatePerSec    float64 `json:"rate_per_sec"`
	WindowNS      int64   `json:"window_ns"` // requested length
	Requests      int64   `json:"requests"`
	ResponseP99NS int64   `json:"response_p99_ns"`
	ExpectedP99NS int64   `json:"expected_p99_ns"`
}

// KnownCost compares a server that has a known added cost with the same server without it: the
// ratio of CPU per request, as the location over rounds with its 95 % interval. The bounds are nil
// if there are too few rounds.
type KnownCost struct {
	Server   string   `json:"server"`
	AddedNS  int64    `json:"added_ns"` // added to each request
	Expected float64  `json:"expected_ratio"`
	Ratio    float64  `json:"ratio"`
	Lo       *float64 `json:"ratio_lo,omitempty"`
	Hi       *float64 `json:"ratio_hi,omitempty"`
	Rounds   int      `json:"rounds"`
}

// Noise holds the differences between identical servers that are loaded in turn, and the machine's
// background load meanwhile.
type Noise struct {
	Servers     []string     `json:"servers"` // ref and copies; in older records also servers with a known cost
	TrialNS     int64        `json:"trial_ns"`
	Connections int          `json:"connections"`
	Rounds      []NoiseRound `json:"rounds"`
}

// NoiseRound is one trial on each server, in random order. Rates and costs are in the order of
// Noise.Servers.
type NoiseRound struct {
	Causes Causes `json:"causes"`
	// Only in older records: the time that the event loops waited for a CPU, and windows times event loops.
	RunQueueNS      int64     `json:"run_queue_ns,omitempty"`
	LoadedNS        int64     `json:"loaded_ns,omitempty"`
	RatePerSec      []float64 `json:"rate_per_sec"`
	CPUPerRequestNS []float64 `json:"cpu_per_request_ns"`
}
