package result

// Reported is what an external load generator reports about its load, in base units. Values that it
// does not report are nil, or missing from Errors.
type Reported struct {
	Version string   `json:"version"` // as it prints it
	Command []string `json:"command"`
	Exit    string   `json:"exit,omitempty"`     // how its process ended, where not with 0
	Trouble string   `json:"trouble,omitempty"`  // why there are no figures, or which could not be read
	LogFile string   `json:"log_file,omitempty"` // within the run folder: all that it printed
	WallNS  int64    `json:"wall_ns"`            // of its process; dyno's clock

	RatePerSec *float64 `json:"rate_per_sec,omitempty"`
	WindowNS   *int64   `json:"window_ns,omitempty"`
	Answered   *int64   `json:"answered,omitempty"` // as it counts them
	// Failed are responses that the tool counts as wrong, by the kinds of Load.Failures. Errors are
	// requests without a response, by the kinds of Load.Errors if the tool distinguishes them, else
	// "read" (reset, closed or parse) and "unanswered" (any). A count of 0 is present only if the
	// tool reports it.
	Failed map[string]int64 `json:"failed,omitempty"`
	Errors map[string]int64 `json:"errors,omitempty"`
	// KeptAlive are the answers after which the connection stayed open.
	KeptAlive *int64 `json:"kept_alive,omitempty"`

	MeanNS       *int64 `json:"mean_ns,omitempty"` // of its latencies
	SDNS         *int64 `json:"sd_ns,omitempty"`
	P50NS        *int64 `json:"p50_ns,omitempty"`
	P99NS        *int64 `json:"p99_ns,omitempty"`
	MaxNS        *int64 `json:"max_ns,omitempty"`
	BytesRead    *int64 `json:"bytes_read,omitempty"`
	BytesWritten *int64 `json:"bytes_written,omitempty"`

	// RateMeanPerSec and the two after it are of the rates of short parts of the load. bombardier
	// prints their mean as its rate.
	RateMeanPerSec *float64 `json:"rate_mean_per_sec,omitempty"`
	RateSDPerSec   *float64 `json:"rate_sd_per_sec,omitempty"`
	RateMaxPerSec  *float64 `json:"rate_max_per_sec,omitempty"`

	// QuantilesNS are the percentiles of its latencies, by their number: "99". Parts are the parts of
	// a request whose times ab prints: connect, processing, waiting, total.
	QuantilesNS map[string]int64 `json:"quantiles_ns,omitempty"`
	Parts       map[string]Times `json:"parts,omitempty"`
}

// Times are the times of one part of all requests of a load.
type Times struct {
	MinNS    int64 `json:"min_ns"`
	MeanNS   int64 `json:"mean_ns"`
	SDNS     int64 `json:"sd_ns"`
	MedianNS int64 `json:"median_ns"`
	MaxNS    int64 `json:"max_ns"`
}
