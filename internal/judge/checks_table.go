package judge

// Sets of runs to which several checks apply.
//
// Single loads have no pairing, reference, warm-up or ceiling;
// their report says for each whether other programs disturbed it.
const (
	always     = OneLevel | Levels | Loads
	compared   = OneLevel | Levels
	openLevel  = OneLevel | Levels | Beside
	everyLevel = OneLevel | Levels | Beside | Loads
)

// Sets of metrics that several checks concern: other programs, drift and order affect times and
// rates, but not memory.
const (
	closedLoop = Rate | ServiceTime
	bothClocks = WallClock | CPUTime
)

// Check ids, as in JSON.
const (
	GeneratorShare = "V01"
	Ceiling        = "V02"
	ServerCPUs     = "V03"
	GeneratorCPUs  = "V04"
	Withheld       = "V05"
	Discarded      = "V06"
	Achieved       = "V07"
	Lag            = "V08"
	Backlog        = "V09"
	Starvation     = "V11"
	Contract       = "V12"
	Errors         = "V13"
	Busy           = "V14"
	WarmUp         = "V15"
	Drift          = "V16"
	Twins          = "V17"
	Order          = "V19"
	CheckCarryOver = "V20"
	FreshStarts    = "V21"
	TailSample     = "V22"
	Calibrated     = "V25"
	SameProcesses  = "V26"
	Complete       = "V28"
	Edges          = "V29"
	Pauses         = "V30"
	Apart          = "V31"
	OtherSides     = "V32"
	Dependence     = "V33"
	Turns          = "V34"
	Resent         = "V35"
	Bandwidth      = "V36"
	Standstill     = "V39"
	Deferred       = "V40"
	Unreachable    = "V41"
	Connected      = "V42"
	Ledger         = "V43"
	Streams        = "V44"
	Churn          = "V45"
	Longest        = "V46"
	Redirected     = "V47"
	ServiceRoom    = "V48"
	ServiceCarry   = "V49"
)

// LargerBudget is the remedy of checks that more epochs make surer. Whether a larger budget gives more
// epochs depends on why the run ended.
const LargerBudget = "give a larger --budget"

// table holds all checks in order of their ids. The ids V10, V18, V23, V24, V27, V37 and V38 belonged to former checks
// and are not reused (doc/method.md, Checks).
var table = []Check{
	{ID: GeneratorShare, Title: "generator's share of its CPUs",
		Means:    "the load generator was busy: servers may be faster than shown",
		Do:       "compare CPU per request",
		Question: GeneratorFree, In: compared, Each: true, Metrics: closedLoop, Bounds: true,
		Limits: []Limit{{"share of the CPUs", Roomy, 0.95}}, find: perContestant(shareOfGenerator),
		One: OfOneLoad{"generator", Warn, (*OneLoad).atLimit}},
	{ID: Ceiling, Title: "throughput against the generator's ceiling",
		Means:    "near the load generator's limit, so perhaps faster",
		Do:       "compare CPU per request",
		Question: GeneratorFree, In: compared, Each: true, Metrics: closedLoop, Bounds: true,
		Limits: []Limit{{"share of the ceiling", ceilingWarn, CeilingLimit}}, find: ceilings},
	{ID: ServerCPUs, Title: "CPU of other programs on the server's CPUs",
		Do:       "stop them",
		Question: MachineQuiet, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"share of the CPUs", backgroundLimit, 1}}, find: whole(backgroundServer)},
	{ID: GeneratorCPUs, Title: "CPU of other programs on the generator's CPUs",
		Do:       "stop them",
		Question: MachineQuiet, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"share of the CPUs", backgroundLimit, 1}}, find: whole(backgroundGenerator)},
	{ID: Withheld, Title: "CPU time withheld by the hypervisor or a quota",
		Do:       "take a machine without other guests, or raise the quota",
		Question: MachineQuiet, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"steal", stealLimit, 1}, {"throttled ns", 0, 0}}, find: whole(withheld)},
	{ID: Discarded, Title: "share of discarded trials",
		Do:       "try a quieter machine",
		Question: MachineQuiet, In: compared, Metrics: WallClock,
		Limits: []Limit{{"share of the trials", 0.20, 1}}, find: whole(discardedRounds)},
	{ID: Achieved, Title: "requests answered of those that were due",
		Means:    "not all requests were answered in time",
		Do:       "lower the rate",
		Question: AnswersRight, In: openLevel, Each: true, Metrics: OpenLoop,
		Limits: []Limit{{"share not answered", 1 - SentFrom, 0.03}}, find: openLoop(achieved),
		One: OfOneLoad{"rate", Warn, (*OneLoad).missed}},
	{ID: Lag, Title: "lag against response time",
		Means:    "the load generator was late: response times include its delay",
		Do:       "lower the rate",
		Question: GeneratorFree, In: openLevel, Each: true, Metrics: OpenLoop,
		Limits: []Limit{{"lag at p99 over the median response", lateShare, 0.50}}, find: openLoop(lagShare)},
	{ID: Backlog, Title: "growing backlog",
		Means:    "requests piled up: response times depend on how long it is loaded",
		Do:       "lower the rate",
		Question: WarmedUp, In: openLevel, Each: true, Metrics: OpenLoop,
		Limits: []Limit{{"growth as a share of the requests", GrowthLimit, GrowthLimit}}, find: openLoop(growing)},
	{ID: Starvation, Title: "time with no connection free",
		Means:    "requests waited for a connection: response times include that",
		Do:       "give more --connections",
		Question: GeneratorFree, In: openLevel, Each: true, Metrics: OpenLoop,
		Limits: []Limit{{"share of the time", 0, starvedFrom}}, find: openLoop(starvation),
		One: OfOneLoad{"starved", Warn, (*OneLoad).starved}},
	{ID: Contract, Title: "every response within its contract",
		Means:    "wrong answers, so no figures",
		Question: AnswersRight, In: always, find: perContestant(contract)},
	{ID: Errors, Title: "errors, and connections established",
		Means:    "requests without an answer; figures, if there are any, are of the others",
		Question: AnswersRight,
		Limits:   []Limit{{"share of requests, all in open loops", 0, 0.001}},
		In:       always, find: perContestant(unanswered),
		One: OfOneLoad{"errors", Fail, (*OneLoad).errors}},
	{ID: Busy, Title: "server busy",
		Means:    "its CPUs were not fully used: something else limits it",
		Do:       "try more --connections, unless its threads were busy",
		Question: GeneratorFree, In: compared, Each: true,
		Metrics: closedLoop,
		Limits:  []Limit{{"share of the CPUs left idle", 0.05, 0.15}}, find: measured(busy)},
	{ID: WarmUp, Title: "warm-up",
		Means:    "its speed did not settle: figures depend on when it is measured",
		Question: WarmedUp, In: compared,
		Limits: []Limit{{"starts without a steady state", 0.25, 0.50}}, find: perContestant(warmup)},
	{ID: Drift, Title: "drift within an epoch",
		Means:    "its speed changed during the run",
		Question: WarmedUp, In: compared, Each: true, Metrics: bothClocks,
		Limits: []Limit{{"change of the ratio", 0.03, 0.10}}, find: drift},
	{ID: Twins, Title: "A/A check: the reference against its copy",
		Means:    "two copies of one server came out different: differences of that size mean nothing",
		Question: TwinsEqual, In: compared, find: twins},
	{ID: Order, Title: "effect of the position in a round",
		Means:    "the order of the loads made a difference",
		Do:       "try a quieter machine",
		Question: WarmedUp, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"last against first", 0, 0.01}}, find: orderEffect},
	{ID: CheckCarryOver, Title: "carry-over from the contestant before",
		Means:    "which server was loaded before made a difference",
		Do:       "try a quieter machine",
		Question: WarmedUp, In: OneLevel, Metrics: bothClocks,
		Limits: []Limit{{"difference by what came before", 0, 0.02}}, find: carryOver},
	{ID: FreshStarts, Title: "spread between fresh starts",
		Means:    "speed differs from start to start",
		Do:       LargerBudget,
		Question: EnoughData, In: compared, Each: true, Metrics: bothClocks,
		Limits: []Limit{{"between epochs", 0.02, 1}}, find: freshStarts},
	{ID: TailSample, Title: "sample of the tail",
		Means:    "few requests beyond the p99: it is rough",
		Do:       LargerBudget,
		Question: EnoughData, Metrics: TailTime,
		In: openLevel, Each: true,
		Limits: []Limit{{"requests beyond the 99th percentile, at least", 100, 10}}, find: openLoop(tailSample)},
	{ID: Calibrated, Title: "calibration of the latencies",
		Means:    "response times include an unknown part of the load generator's own",
		Do:       "dyno doctor measures it",
		Question: GeneratorFree, In: always, Metrics: Latency,
		Limits: []Limit{{"error of the p99, ns", 200_000, errorFail}}, find: whole(calibration)},
	{ID: SameProcesses, Title: "server's processes",
		Means:    "its processes changed in mid-run: figures may mix two states",
		Do:       "see its log",
		Question: AnswersRight, In: compared, find: measured(sameProcesses)},
	{ID: Complete, Title: "run complete",
		Means:    "the record is damaged: part of the run is missing",
		Question: EnoughData, In: always, find: complete,
		One: OfOneLoad{"interrupted", Fail, (*OneLoad).interrupted}},
	{ID: Edges, Title: "rates at the edges of the windows",
		Means:    "the rates of some loads are not steady: throughput may be off",
		Do:       "try a quieter machine",
		Question: WarmedUp, Metrics: Rate,
		In: everyLevel, Each: true,
		find: whole(edges),
		One:  OfOneLoad{"unsteady", Warn, (*OneLoad).unsteady}},
	{ID: Pauses, Title: "pauses of the generator or the machine",
		Do:       "try a quieter machine",
		Question: MachineQuiet, In: compared,
		Limits: []Limit{{"share of a window", pauseClosed, pauseClosed}, {"the same, open loop",
			pauseOpen, pauseOpen}}, find: pauses,
		One: OfOneLoad{"paused", Warn, (*OneLoad).paused}},
	{ID: Apart, Title: "CPUs of server and generator apart",
		Means:    "where server and load generator share CPUs, each slows the other",
		Question: GeneratorFree, In: always, Each: true, find: whole(apart)},
	{ID: OtherSides, Title: "CPU of the other sides, where they are not frozen",
		Do:       "stop what calls them",
		Question: MachineQuiet, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"share of the CPUs", backgroundLimit, 1}}, find: otherSides},
	{ID: Dependence, Title: "dependence between epochs",
		Means:    "starts resembled those before: intervals are twice as wide for it",
		Do:       LargerBudget,
		Question: EnoughData, In: OneLevel, Metrics: bothClocks,
		Limits: []Limit{{"correlation with the epoch before", 0, 1}}, find: dependence},
	{ID: Turns, Title: "connections served at a time",
		Means:    "it served few of its connections at a time: the load was not the one asked for",
		Do:       "compare the mean, not the median, of service times",
		Question: GeneratorFree, Metrics: closedLoop,
		In: everyLevel, Each: true,
		Limits: []Limit{{"share of the trials", 0.10, 1}}, find: turns},
	{ID: Resent, Title: "segments sent again or out of order",
		Do:       "look at the link, and at the servers' listen backlogs",
		Question: MachineQuiet, In: always, Metrics: WallClock,
		Limits: []Limit{{"share sent again", 0.0001, 0.001}, {"share out of order", 0.001, 0.01}}, find: resent},
	{ID: Bandwidth, Title: "share of the link's bandwidth",
		Means:    "the network link was nearly full: servers may be faster than shown",
		Do:       "take a faster link, or compare CPU per request",
		Question: GeneratorFree, In: compared, Each: true, Metrics: closedLoop, Bounds: true,
		Limits: []Limit{{"share of the bandwidth", 0.60, 0.80}}, find: bandwidth},
	{ID: Standstill, Title: "standstills of the server",
		Means:    "no answer came for a while although requests waited",
		Do:       "see its log",
		Question: AnswersRight, In: always, find: standstills,
		One: OfOneLoad{"stopped", Warn, (*OneLoad).stopped}},
	{ID: Deferred, Title: "CPU without load",
		Means:    "it used CPU while it was not loaded: its figures leave out work that it may have put off",
		Do:       "see what it does when it is idle",
		Question: WarmedUp, In: compared, Metrics: bothClocks,
		Limits: []Limit{{"share of the time without load", 0.15, 0.50},
			{"CPU outside the windows, beyond answers and connections, over CPU in them", 0.50, 1}}, find: deferred},
	{ID: Unreachable, Title: "server reachable until the end",
		Question: AnswersRight, One: OfOneLoad{"ended_early", Fail, (*OneLoad).ended}},
	{ID: Connected, Title: "connections established",
		Question: AnswersRight, One: OfOneLoad{"connections", Fail, (*OneLoad).fewer}},
	{ID: Ledger, Title: "counts of requests",
		Question: AnswersRight, One: OfOneLoad{"ledger", Fail, (*OneLoad).unbalanced}},
	{ID: Streams, Title: "requests in flight on an HTTP/2 connection",
		Question: AnswersRight, One: OfOneLoad{"streams", Warn, (*OneLoad).fewerStreams}},
	{ID: Churn, Title: "connections dialled again",
		Question: AnswersRight, One: OfOneLoad{"churn", Warn, (*OneLoad).churn}},
	{ID: Longest, Title: "time without an answer, on few connections",
		Question: AnswersRight, One: OfOneLoad{"longest", Warn, (*OneLoad).longest}},
	{ID: Redirected, Title: "redirects",
		Question: AnswersRight, One: OfOneLoad{"redirects", Warn, (*OneLoad).redirects}},
	{ID: ServiceRoom, Title: "services' share of their CPUs",
		Means:    "a service was the limit: its rate is what the service bears",
		Do:       "compare CPU per request",
		Question: GeneratorFree, In: compared, Each: true, Metrics: closedLoop, Bounds: true,
		Limits: []Limit{{"share of the CPUs", Roomy, 0.95}}, find: serviceRoom},
	{ID: ServiceCarry, Title: "services' CPU after each contestant",
		Means:    "servers may warm the services' caches for each other",
		Do:       "give each server its own: each = true",
		Question: WarmedUp, In: OneLevel, Metrics: bothClocks,
		Limits: []Limit{{"difference by what came before", 0.02, 0.10}}, find: serviceCarryOver},
}
