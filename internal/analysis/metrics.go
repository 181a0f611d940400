package analysis

import (
	"strings"

	"dyno/internal/result"
)

// Metric is a measured property of a contestant, in base units. Its entry in the table says everything of it: how a
// trial yields it, how it is judged and how it is shown. A new metric is an entry, its function, and a line in
// doc/format.md.
type Metric struct {
	Name string // key in flags, CSV and JSON
	Unit string // of the value: the name of a Unit
	More bool   // bigger is better
	Kind Kind   // what it is made of, and so which checks concern it

	Of   func(*result.Trial) (float64, bool) // false: the trial has no such value
	Idle func(*result.Usage) (float64, bool) // the same of a process before its first load; nil: it has none

	Rare      bool // shown only in runs that have it
	Fresh     bool // only of runs with fresh processes: else it includes all that the processes did before
	Unranked  bool // a property of the machine: it is shown, and compared with nothing
	Settles   bool // constant from round to round once warm: a contestant that still changes is not compared
	AtCeiling bool // bounded by the load generator's ceiling

	Title  string // heading of a section, and of the metric's explanation
	Head   string // short heading of a column in text and Markdown; %s is the scale
	Column string // heading of a column of the page, whose scale stands below it; the title if empty
	About  string // the explanation on the page
	Phrases
}

// Phrases are the words for how contestants compare under a metric. Empty ones are derived from the
// metric's title.
type Phrases struct {
	Factor string // of one against another: "serves %s the requests of"; %s is the ratio
	Best   string // of the first of all: "is fastest", "uses the least CPU per request"
	Rise   string // of one against another: "serves %s more requests than"; %s is the share
	Fall   string // its opposite
}

// Kind is a kind of metric. Each kind is one bit, so that a set of kinds is a Kind too.
type Kind uint8

// Kinds of metrics. Others are counts, to which only those checks apply that concern all figures.
const (
	Rate         Kind = 1 << iota // right answers by time
	ServiceTime                   // from sending a request to its answer
	ResponseTime                  // from the moment a request was due to its answer
	TailTime                      // the same for the slowest
	CPUTime
	Memory
	Count

	OpenLoop  = ResponseTime | TailTime
	Latency   = ServiceTime | OpenLoop
	WallClock = Rate | Latency
)

// Wall reports whether the wall clock measures m, so that other programs on the machine affect it.
func (m Metric) Wall() bool { return m.Kind&WallClock != 0 }

// Open reports whether only open loops have m.
func (m Metric) Open() bool { return m.Kind&OpenLoop != 0 }

// HeadIn returns the short heading of a column of m in a scale.
func (m Metric) HeadIn(scale string) string {
	head := m.Head
	if head == "" {
		head = m.Title + " %s"
	}
	return strings.Replace(head, "%s", scale, 1)
}

// Says returns the phrases of m. None of them is empty.
func (m Metric) Says() Phrases {
	p, title := m.Phrases, m.Title
	if title[1] >= 'a' { // no abbreviation
		title = strings.ToLower(title[:1]) + title[1:]
	}
	for _, phrase := range []struct {
		of     *string
		absent string
	}{
		{&p.Factor, "has %s the " + inForm(m.Title) + " of"}, {&p.Best, "is ahead on " + title},
		{&p.Rise, "has %s more " + inForm(title) + " than"}, {&p.Fall, "has %s less " + inForm(title) + " than"},
	} {
		if *phrase.of == "" {
			*phrase.of = phrase.absent
		}
	}
	return p
}

// inForm escapes a text for use in a format of fmt.Sprintf.
func inForm(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// Metrics are the metrics of paired runs, sweeps and searches.
var Metrics = []Metric{
	{
		Name: "throughput", Unit: "1/s", More: true, Kind: Rate, Of: throughput, Settles: true, AtCeiling: true,
		Title: "Throughput", Head: "req/s", Column: "Requests",
		About: "Right answers per second of the counted window, all connections busy. Every response is checked; " +
			"one that breaks the contract is an error, not throughput.",
		Phrases: Phrases{"serves %s the requests of", "is fastest",
			"serves %s more requests than", "serves %s fewer requests than"},
	},
	{
		Name: "cpu_per_request", Unit: "ns", Kind: CPUTime, Of: cpuPerRequest, Settles: true,
		Title: "CPU per request", Head: "CPU %s/req",
		About: "CPU time of the server's whole process tree, by right answers. It is the steadiest figure on a " +
			"shared machine, but on a busy single core it says nearly the same as throughput: do not count them " +
			"as two findings.",
		Phrases: Phrases{"uses %s the CPU per request of", "uses the least CPU per request",
			"uses %s more CPU per request than", "uses %s less CPU per request than"},
	},
	{
		Name: "p50", Unit: "ns", Kind: ServiceTime, Of: p50, Settles: true, AtCeiling: true,
		Title: "Service time, median", Head: "p50 %s", Column: "Median time",
		About: "From sending a request to its answer, with all connections busy. Under this kind of load it mostly " +
			"tells how long requests queue; it is no promise for a user at a lower rate.",
		Phrases: Phrases{"takes %s the median service time of", "has the shortest median service time",
			"takes %s longer in the median than", "takes %s less time in the median than"},
	},
	{
		Name: "memory", Unit: "bytes", Kind: Memory, Of: ofServer(pss), Idle: pss,
		Title: "Memory (PSS)", Head: "memory %s", Column: "Memory",
		About: "Proportional set size (PSS) of the process tree right after a trial.",
		Phrases: Phrases{"holds %s the memory of", "holds the least memory",
			"holds %s more memory than", "holds %s less memory than"},
	},
	{
		Name: "response_p50", Unit: "ns", Kind: ResponseTime, Of: responseP50, Settles: true,
		Title: "Response time, median", Head: "response p50 %s", Column: "Response, median",
		About: "From the moment a request was due to its answer, at a rate that the server does not choose: what a " +
			"user waits, queueing included.",
		Phrases: Phrases{Factor: "takes %s the median response time of", Best: "has the shortest median response time"},
	},
	{
		Name: "response_p99", Unit: "ns", Kind: TailTime, Of: responseP99,
		Title: "Response time, 99 %", Head: "response p99 %s", Column: "Response, 99 %",
		About: "The same for the slowest hundredth, per trial, where at least ten requests lie beyond it. On a " +
			"shared machine others are in it.",
		Phrases: Phrases{
			Factor: "takes %s the response time at 99 %% of", Best: "has the shortest response time at 99 %",
		},
	},
	{
		Name: "heap_inuse", Unit: "bytes", Kind: Memory, Rare: true, Of: heapInuse,
		Title: "Heap in use",
		About: "Of Go programs: memory in spans of the heap that are in use, right after a trial with its " +
			"connections still open (runtime.MemStats.HeapInuse). It goes up and down with the garbage " +
			"collector: medians of many trials say what one sample cannot.",
	},
	{
		Name: "alloc_per_request", Unit: "bytes", Kind: Memory, Rare: true, Of: allocPerRequest,
		Title: "Allocated per request",
		About: "Of Go programs: what was allocated on the heap in the window, by right answers. What the reading " +
			"itself allocates is measured and left out.",
	},
	{
		Name: "instructions_per_request", Unit: "instructions", Kind: Count, Rare: true, Of: instructions,
		Title: "Instructions per request", Head: "instr./req",
		About: "Instructions that the server's process tree retired, by right answers: the steadiest figure of " +
			"all, but an instruction may take long.",
		Phrases: Phrases{
			Factor: "retires %s the instructions per request of", Best: "retires the fewest instructions per request",
		},
	},

	// Of loads of one number of requests.
	{
		Name: "cpu_time", Unit: "ns", Kind: CPUTime, Rare: true, Fresh: true, Of: ofServer(cpuTime), Idle: cpuTime,
		Title: "CPU time",
		About: "CPU time of the server's whole process tree for the requests of one load; of an idle process since " +
			"its start.",
	},
	{
		Name: "cpu_since_start", Unit: "ns", Kind: CPUTime, Rare: true, Fresh: true,
		Of: ofServer(cpuSinceStart), Idle: cpuTime,
		Title: "CPU time since the start",
		About: "The same from the start of the process to the end of the load, all loads before among it: what top " +
			"shows.",
	},
	{
		Name: "threads", Unit: "threads", Kind: Count, Rare: true, Fresh: true, Of: ofServer(threads), Idle: threads,
		Title: "Threads",
		About: "Of the process tree, right after a load.",
	},
	{
		Name: "sockets", Unit: "sockets", Kind: Count, Rare: true, Fresh: true, Of: ofServer(sockets), Idle: sockets,
		Title: "Open sockets",
		About: "That the process tree holds when the last answer of a load is there and its kept connections are " +
			"still open; one that listens counts too.",
	},
	{
		Name: "swap_pss", Unit: "bytes", Kind: Memory, Rare: true, Fresh: true, Unranked: true,
		Of: ofServer(swapPSS), Idle: swapPSS,
		Title: "Swapped (SwapPss)",
		About: "The proportional share of the process tree's memory that lies in swap (SwapPss). It depends on " +
			"what else the machine holds, and is compared with nothing.",
	},

	// Of runs whose contestants call a program that has no CPUs of its own.
	{
		Name: "server_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: serverShare,
		Title: "CPU of the server", Head: "server CPU %s", Column: "CPU, server",
		About: "CPU time of the server's process tree, of what its CPUs had in the window.",
	},
	{
		Name: "backend_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: backendShare,
		Title: "CPU of the backend", Head: "backend CPU %s", Column: "CPU, backend",
		About: "CPU time of the program that the server calls, of what the generator's CPUs had, for it runs " +
			"there. It is nobody's fault and no figure of the server.",
	},
	{
		Name: "generator_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: generatorShare,
		Title: "CPU of the generator", Head: "generator CPU %s", Column: "CPU, generator",
		About: "CPU time of the load generator, of what its CPUs had. Where it and the backend together use " +
			"nearly all, the server may be faster than shown.",
	},
}

// MetricNamed returns the metric of that name.
func MetricNamed(name string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// named is MetricNamed for a name that the table has.
func named(name string) Metric {
	m, ok := MetricNamed(name)
	if !ok {
		panic("no metric " + name)
	}
	return m
}

// Classic are the metrics of classic runs, in the order in which published benchmarks show them.
var Classic = []Metric{
	{
		Name: "time", Unit: "ns", Kind: Rate, Of: timeToComplete, Rare: true,
		Title: "Time to complete", Head: "time %s", Column: "Time",
		About: "From the first request sent to the last answer of the load.",
	},
	named("throughput"),
	named("p50"),
	{
		Name: "p99", Unit: "ns", Kind: ServiceTime, Of: serviceP99,
		Title: "Service time, 99 %", Head: "p99 %s", Column: "99 %",
		About: "From sending a request to its answer, in a closed loop: while a server stalls, no further requests " +
			"are sent, so those that would have waited are not in it.",
	},
	{
		Name: "max", Unit: "ns", Kind: ServiceTime, Of: serviceMax,
		Title: "Service time, longest", Head: "max %s", Column: "Longest",
		About: "The longest service time of a load.",
	},
	named("cpu_per_request"),
	{
		Name: "read", Unit: "B/s", More: true, Kind: Rate, Of: read,
		Title: "Throughput, read", Head: "read %s", Column: "Read",
		About: "Bytes of answers, heads and bodies, by the time of the load. 1 MB is 1,000,000 bytes.",
	},
	named("memory"),
}

// ClassicNamed returns the metric of that name among those of classic runs.
func ClassicNamed(name string) Metric {
	for _, m := range Classic {
		if m.Name == name {
			return m
		}
	}
	panic("no metric " + name + " of a classic run")
}
