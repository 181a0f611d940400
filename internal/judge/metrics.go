package judge

import (
	"cmp"

	"dyno/internal/record"
)

// Metrics are the metrics for runs with epochs.
var Metrics = []Metric{
	{
		Name: "throughput", Unit: "1/s", More: true, Kind: Rate, Of: throughput, Settles: true, AtCeiling: true, PerCPU: true,
		Title: "Throughput", Head: "req/s",
		About: "Right responses per second of the counted window, with all connections busy. Every response is " +
			"checked; one that breaks the contract is an error, not throughput.",
		Phrases: Phrases{"serves %s the requests of", "is fastest"},
	},
	{
		Name: "cpu_per_request", Unit: "ns", Kind: CPUTime, Of: perRequest(cpuTime), Settles: true,
		Title: "CPU per request", Head: "CPU %s/req",
		About: "CPU time of the server's whole process tree, per right response. It is the steadiest figure on a " +
			"shared machine. On a fully used single core it measures nearly the same as throughput: do not count " +
			"them as two findings.",
		Phrases: Phrases{"uses %s the CPU per request of", "uses the least CPU per request"},
	},
	{
		Name: "p50", Unit: "ns", Kind: ServiceTime, Of: p50, Settles: true, AtCeiling: true,
		Title: "Service time, median", Head: "p50 %s",
		About: "Time from sending a request to its response, with all connections busy. Under this load it mostly " +
			"reflects queueing; at a lower rate users wait less.",
		Phrases: Phrases{"takes %s the median service time of", "has the shortest median service time"},
	},
	{
		Name: "memory", Unit: "bytes", Kind: Memory, Of: ofServer(memory), Idle: memory,
		Title: "Memory", Head: "memory %s",
		About: "Private memory right after a trial, which no other program has: the process tree's heaps, stacks and " +
			"code compiled at run time. Pages that its own processes share count once; pages of files, such as the program " +
			"and its libraries, are left out. Records from before November 2026 have the proportional set size (PSS) " +
			"instead: with pages of files, divided among all programs that map them at that moment.",
		Phrases: Phrases{"holds %s the memory of", "holds the least memory"},
	},
	{
		Name: "response_p50", Unit: "ns", Kind: ResponseTime, Of: responseP50, Settles: true,
		Title: "Response time, median", Head: "response p50 %s",
		About: "Time from when a request was due to its response, at a fixed rate: what a user waits, including " +
			"queueing.",
		Phrases: Phrases{Factor: "takes %s the median response time of", Best: "has the shortest median response time"},
	},
	{
		Name: "response_p99", Unit: "ns", Kind: TailTime, Of: responseP99,
		Title: "Response time, 99 %", Head: "response p99 %s",
		About: "The response time that 1 % of the requests exceed, per trial, if at least ten requests lie beyond " +
			"it. On a shared machine it includes disturbances by other programs.",
		Phrases: Phrases{
			Factor: "takes %s the response time at 99 %% of", Best: "has the shortest response time at 99 %",
		},
	},
	{
		Name: "response_p999", Unit: "ns", Kind: TailTime, Rare: true, Of: unknown, // see ratedCell
		Title: "Response time, 99.9 %", Head: "response p99.9 %s",
		About: "The response time that 1 in 1,000 requests exceeds, if at least 100 requests lie beyond it.",
	},
	{
		Name: "file_memory", Unit: "bytes", Kind: Memory, Rare: true, Unranked: true,
		Of:    ofServer(func(u *record.Usage) (float64, bool) { return read(u.FileBytes) }),
		Title: "Mapped files", Head: "files %s",
		About: "Resident pages of files, such as the program and its libraries, at the end of an epoch, summed over " +
			"the process tree. Other programs may share them, so they are not compared.",
	},
	{
		Name: "heap_inuse", Unit: "bytes", Kind: Memory, Rare: true, Of: heapInuse,
		Title: "Heap in use",
		About: "For Go programs: memory in used spans of the heap, right after a trial with its connections still " +
			"open (runtime.MemStats.HeapInuse). It rises and falls with the garbage collector, so only medians of " +
			"many trials are meaningful.",
	},
	{
		Name: "alloc_per_request", Unit: "bytes", Kind: Memory, Rare: true, Of: allocPerRequest,
		Title: "Allocated per request",
		About: "For programs in Go and .NET: bytes allocated on the heap in the window, per right response, as their " +
			"runtimes count them (runtime.MemStats.TotalAlloc, GC.GetTotalAllocatedBytes). Allocations of the " +
			"reading itself are measured and subtracted. Memory on stacks or outside that heap is not included.",
	},
	{
		Name: "goroutines_per_request", Unit: "goroutines", Kind: Count, Rare: true, Of: goroutines,
		Title: "Goroutines started per request", Head: "goroutines/req",
		About: "For Go programs: goroutines started in the window, per right answer.",
	},
	{
		Name: "instructions_per_request", Unit: "instructions", Kind: Count, Rare: true, Of: instructions,
		Title: "Instructions per request", Head: "instr./req",
		About: "Instructions that the server's process tree retired, per right response. It is the steadiest " +
			"figure of all, but instructions differ in time.",
	},

	// Load steadiness: bombardier's and wrk's Stdev and Max.
	{
		Name: "rate_sd", Unit: "1/s", Kind: Rate, Rare: true, Of: rateSD,
		Title: "Throughput, standard deviation", Head: "SD req/s",
		About: "Standard deviation of the rate over samples of 20 ms, as in bombardier, within one load: four or five " +
			"samples in a trial of 0.1 s, thousands in a long load. It leaves out changes that are slower than the load.",
	},
	{
		Name: "rate_max", Unit: "1/s", More: true, Kind: Rate, Rare: true, Of: rateMax,
		Title: "Throughput, highest", Head: "max req/s",
		About: "The highest rate in any sample of 20 ms. The longer the load, the higher it is: compare only loads of " +
			"one length.",
	},
	{
		Name: "service_mean", Unit: "ns", Kind: ServiceTime, Rare: true, Of: serviceMean,
		Title: "Service time, mean", Head: "mean %s",
		About: "Mean of the service times of all right answers of a load.",
	},
	{
		Name: "service_sd", Unit: "ns", Kind: ServiceTime, Rare: true, Of: serviceSD,
		Title: "Service time, standard deviation", Head: "SD %s",
		About: "Standard deviation of the service times of all right answers of a load.",
	},
	{
		Name: "service_max", Unit: "ns", Kind: ServiceTime, Rare: true, Of: serviceLongest,
		Title: "Service time, longest", Head: "max %s",
		About: "The longest service time of a load. The longer the load, the longer it is: compare only loads " +
			"of one length.",
	},

	// For loads with a fixed number of requests.
	{
		Name: "cpu_time", Unit: "ns", Kind: CPUTime, Rare: true, Fresh: true, Of: ofServer(cpuTime), Idle: cpuTime,
		Title: "CPU time",
		About: "CPU time of the server's whole process tree for the requests of one load; for an idle process, " +
			"since its start.",
	},
	{
		Name: "cpu_since_start", Unit: "ns", Kind: CPUTime, Rare: true, Fresh: true,
		Of: ofServer(cpuSinceStart), Idle: cpuTime,
		Title: "CPU time since the start",
		About: "CPU time from the start of the process to the end of the load, including all earlier loads, as top " +
			"shows it.",
	},
	{
		Name: "threads", Unit: "threads", Kind: Count, Rare: true, Fresh: true, Of: ofServer(threads), Idle: threads,
		Title: "Threads",
		About: "Threads of the process tree, right after a load.",
	},
	{
		Name: "sockets", Unit: "sockets", Kind: Count, Rare: true, Fresh: true, Of: ofServer(sockets), Idle: sockets,
		Title: "Open sockets",
		About: "Sockets that the process tree has open after the last response of a load, while the connections " +
			"are still open; listening sockets included.",
	},
	{
		Name: "swap_pss", Unit: "bytes", Kind: Memory, Rare: true, Fresh: true, Unranked: true,
		Of: ofServer(swapPSS), Idle: swapPSS,
		Title: "Swapped (SwapPss)",
		About: "The proportional share of the process tree's memory that is in swap (SwapPss). It depends on the " +
			"other programs of the machine and is not compared.",
	},

	// For runs whose contestants call services.
	{
		Name: "server_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: serverShare,
		Title: "CPU of the server", Head: "server CPU %s",
		About: "CPU time of the server's process tree, as a share of its CPUs' time in the window.",
	},
	{
		Name: "service_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: serviceShare,
		Title: "CPU of the services", Head: "services' CPU %s",
		About: "CPU time of the programs that the server calls, as a share of the time of the CPUs on which they run: " +
			"the generator's, or their own. It is not a property of the server.",
	},
	{
		Name: "service_cpu", Unit: "ns", Kind: CPUTime, Rare: true, Unranked: true, Of: serviceCPU,
		Title: "CPU of the services per request", Head: "services' CPU %s/req",
		About: "CPU time of the programs that the server calls, per right response of the server. Servers may differ in it " +
			"by what they ask for; otherwise it is a property of the services.",
	},
	{
		Name: "service_ceiling", Unit: "1/s", More: true, Kind: Rate, Rare: true, Unranked: true, Of: serviceCeiling,
		Title: "Rate at which the services' CPUs are full", Head: "services' ceiling",
		About: "A bound by arithmetic: throughput over the share that the services used of their CPUs' time, as if nothing " +
			"else used these.",
	},
	{
		Name: "service_memory", Unit: "bytes", Kind: Memory, Rare: true, Unranked: true, Of: serviceMemory,
		Title: "Memory of the services", Head: "services' memory %s",
		About: "Private memory of the programs that the server calls, right after a trial, as the server's own.",
	},
	{
		Name: "generator_cpu_share", Unit: "share", Kind: Count, Rare: true, Unranked: true, Of: generatorShare,
		Title: "CPU of the generator", Head: "generator CPU %s",
		About: "CPU time of the load generator, as a share of its CPUs' time. If generator and services together " +
			"use nearly all of what they have, the server may be faster than shown.",
	},
}

// LoadMetrics are the metrics for classic runs, in the order of published benchmarks.
var LoadMetrics = []Metric{
	{
		Name: "time", Unit: "ns", Kind: Rate, Of: timeToComplete, Rare: true,
		Title: "Time to complete", Head: "time %s",
		About: "Time from the first request sent to the last response of the load.",
	},
	named("throughput"),
	named("rate_sd"),
	named("rate_max"),
	named("p50"),
	named("service_sd"),
	{
		Name: "max", Unit: "ns", Kind: ServiceTime, Of: serviceMax,
		Title: "Service time, longest", Head: "max %s",
		About: "The longest service time of a load.",
	},
	named("cpu_per_request"),
	{
		Name: "read", Unit: "B/s", More: true, Kind: Rate, Of: bytesRead,
		Title: "Throughput, read", Head: "read %s",
		About: "Bytes of responses, headers and bodies, per second of the load. 1 MB is 1,000,000 bytes.",
	},
	named("memory"),
}

// closedTail is the 99th percentile of a closed loop. While a server stalls no further requests are
// sent, so it leaves out those that would have waited: it is compared with published figures alone.
var closedTail = Metric{
	Name: "p99", Unit: "ns", Kind: ServiceTime, Of: serviceP99, AtCeiling: true, Title: "Service time, 99 %",
	Head: "p99 %s",
}

// The functions that compute metrics. A trial without the necessary data has no value.

// ofLoad returns a function that reads one figure of a load; 0 is no value.
func ofLoad[N int64 | float64](of func(*record.Load) N) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) {
		v := of(&t.Load)
		return float64(v), v > 0
	}
}

// ofServer returns a function that reads one server figure from a trial.
func ofServer(of func(*record.Usage) (float64, bool)) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) { return of(&t.Server) }
}

// positive returns a function that reads a figure of a process tree, for which 0 is no value.
func positive(of func(*record.Usage) *int64) func(*record.Usage) (float64, bool) {
	return func(u *record.Usage) (float64, bool) {
		v, ok := read(of(u))
		return v, ok && v > 0
	}
}

func read(n *int64) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

// perRequest returns a function that divides a server figure by a load's right answers.
func perRequest(of func(*record.Usage) (float64, bool)) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) {
		v, ok := of(&t.Server)
		if !ok || t.Load.Succeeded == 0 {
			return 0, false
		}
		return v / float64(t.Load.Succeeded), true
	}
}

var (
	p50            = ofLoad(func(l *record.Load) int64 { return l.ServiceP50NS })
	timeToComplete = ofLoad(func(l *record.Load) int64 { return l.WindowNS })
	serviceMax     = ofLoad(func(l *record.Load) int64 { return l.ServiceMaxNS })
	rateSD         = ofLoad(func(l *record.Load) float64 { return l.RateSDPerSec })
	rateMax        = ofLoad(func(l *record.Load) float64 { return l.RateMaxPerSec })
	serviceMean    = ofLoad(func(l *record.Load) int64 { return l.ServiceMeanNS })
	serviceSD      = ofLoad(func(l *record.Load) int64 { return l.ServiceSDNS })

	memory  = positive(func(u *record.Usage) *int64 { return cmp.Or(u.PrivateBytes, u.PSSBytes) })
	cpuTime = positive(func(u *record.Usage) *int64 { return u.CPUNS }) // comparable between equal numbers of requests
	threads = positive(func(u *record.Usage) *int64 { return u.Threads })
	sockets = positive(func(u *record.Usage) *int64 { return u.OpenSockets })

	instructions = perRequest(positive(func(u *record.Usage) *int64 { return u.Instructions }))
	// a server may start no goroutine for a request
	goroutines      = perRequest(func(u *record.Usage) (float64, bool) { return read(u.GoroutinesStarted) })
	allocPerRequest = perRequest(func(u *record.Usage) (float64, bool) { return read(u.AllocBytes) })
	heapInuse       = ofServer(func(u *record.Usage) (float64, bool) { return read(u.HeapInuseBytes) })
)

func throughput(t *record.Trial) (float64, bool) { return t.Load.PerSec() }

func cpuSinceStart(u *record.Usage) (float64, bool) {
	user, ok := read(u.CPUUserTotalNS)
	system, ok2 := read(u.CPUSystemTotalNS)
	return user + system, ok && ok2 && user+system > 0
}

// swapPSS returns the swapped memory, which is usually 0.
func swapPSS(u *record.Usage) (float64, bool) { return read(u.SwapPSSBytes) }

// serviceLongest is unknown in older recordings: a trial has deviations and maxima together.
func serviceLongest(t *record.Trial) (float64, bool) {
	return float64(t.Load.ServiceMaxNS), t.Load.ServiceSDNS > 0
}

func responseP50(t *record.Trial) (float64, bool) { return response(&t.Load, .5) }

func responseP99(t *record.Trial) (float64, bool) { return response(&t.Load, .99) }

func unknown(*record.Trial) (float64, bool) { return 0, false }

// response returns quantile q of the response time (due to done), if enough requests lie beyond it
// and it is not only a lower bound.
func response(l *record.Load, q float64) (float64, bool) {
	ns, most := l.Response(q > .5)
	return float64(ns), most > 0 && float64(most) <= (1+record.Raised)*float64(ns) && Bears(l.Succeeded, q)
}

func serverShare(t *record.Trial) (float64, bool) {
	return shareOf(t, t.Server.CPUNS, t.Causes.ServerCPUs)
}

func serviceShare(t *record.Trial) (float64, bool) {
	return shareOf(t, t.ServiceCPU(), cmp.Or(t.Causes.ServiceCPUs, t.Causes.GeneratorCPUs))
}

func serviceCPU(t *record.Trial) (float64, bool) {
	used := t.ServiceCPU()
	if used == nil || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*used) / float64(t.Load.Succeeded), true
}

func serviceCeiling(t *record.Trial) (float64, bool) {
	rate, ok := throughput(t)
	share, known := serviceShare(t)
	return rate / share, ok && known && share > 0
}

func serviceMemory(t *record.Trial) (sum float64, ok bool) {
	for i := range t.Services {
		if n, known := memory(&t.Services[i]); known {
			sum, ok = sum+n, true
		}
	}
	return sum, ok
}

func generatorShare(t *record.Trial) (float64, bool) {
	return shareOf(t, t.Generator.CPUNS, t.Causes.GeneratorCPUs)
}

// shareOf returns the share that a process used of cpus CPUs, in a trial with services.
func shareOf(t *record.Trial, used *int64, cpus int) (float64, bool) {
	if len(t.Services) == 0 || used == nil || t.ClocksNS <= 0 || cpus == 0 {
		return 0, false
	}
	return float64(*used) / float64(t.ClocksNS) / float64(cpus), true
}

// serviceP99 returns the service time's 99th percentile; false if too few requests lie beyond it.
func serviceP99(t *record.Trial) (float64, bool) {
	return float64(t.Load.ServiceP99NS), t.Load.ServiceP99NS > 0 && Bears(t.Load.Succeeded+t.Load.Failed, .99)
}

func bytesRead(t *record.Trial) (float64, bool) { return t.Load.Along(t.Load.BytesRead) }
