package record

// Reported is an external load generator's report on its load, in base units. Values that it does
// not report are nil, or missing from Errors.
type Reported struct {
	Version string   `json:"version"` // version as printed
	Command []string `json:"command"`
	Exit    string   `json:"exit,omitempty"`     // how its process ended, if not with 0
	Trouble string   `json:"trouble,omitempty"`  // why there are no figures, or which ones could not be read
	LogFile string   `json:"log_file,omitempty"` // file with the whole output, within the run folder
	WallNS  int64    `json:"wall_ns"`            // running time of the process, by dyno's clock

	RatePerSec *float64 `json:"rate_per_sec,omitempty"`
	WindowNS   *int64   `json:"window_ns,omitempty"`
	Answered   *int64   `json:"answered,omitempty"` // number of answers, as the tool counts
	// Failed are responses that the tool counts as wrong, by the kinds of Load.Failures. Errors are
	// requests without a response, by the kinds of Load.Errors if the tool distinguishes them, else
	// "read" (reset, closed or parse) and "unanswered" (any). A count of 0 is present only if the
	// tool reports it.
	Failed map[string]int64 `json:"failed,omitempty"`
	Errors map[string]int64 `json:"errors,omitempty"`
	// KeptAlive counts answers after which the connection stayed open.
	KeptAlive *int64 `json:"kept_alive,omitempty"`

	MeanNS       *int64 `json:"mean_ns,omitempty"` // mean latency
	SDNS         *int64 `json:"sd_ns,omitempty"`
	P50NS        *int64 `json:"p50_ns,omitempty"`
	P99NS        *int64 `json:"p99_ns,omitempty"`
	MaxNS        *int64 `json:"max_ns,omitempty"`
	BytesRead    *int64 `json:"bytes_read,omitempty"`
	BytesWritten *int64 `json:"bytes_written,omitempty"`

	// RateMeanPerSec, RateSDPerSec and RateMaxPerSec describe the rates in short parts of the load.
	// bombardier prints the mean as its rate.
	RateMeanPerSec *float64 `json:"rate_mean_per_sec,omitempty"`
	RateSDPerSec   *float64 `json:"rate_sd_per_sec,omitempty"`
	RateMaxPerSec  *float64 `json:"rate_max_per_sec,omitempty"`

	// QuantilesNS are latency percentiles, by number: "99". Parts are the parts of a request that
	// ab times: connect, processing, waiting, total.
	QuantilesNS map[string]int64 `json:"quantiles_ns,omitempty"`
	Parts       map[string]Times `json:"parts,omitempty"`
}

// Times describe one part over all requests in a load.
type Times struct {
	MinNS    int64 `json:"min_ns"`
	MeanNS   int64 `json:"mean_ns"`
	SDNS     int64 `json:"sd_ns"`
	MedianNS int64 `json:"median_ns"`
	MaxNS    int64 `json:"max_ns"`
}
