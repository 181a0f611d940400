package report

// word is an entry of the page's explanations; its ID is what the tables' heads link to.
type word struct{ ID, Name, Text string }

var words = []word{
	{"ratio", "Ratio to the yardstick",
		"In every round each contestant and the yardstick are loaded one after the other. Their ratio within the round cancels " +
			"what the machine did to all of them. The figure is the Hodges–Lehmann estimate over the epochs: a ratio under the same " +
			"momentary conditions, not a ratio of averages. The yardstick is a plain net/http server that dyno brings along."},
	{"interval", "Interval",
		"The range that the data leaves open. For a level it is 95 % between epochs; for a ratio it has the level of a look, so " +
			"that it holds for all looks together. ∞ means: too few epochs."},
	{"epoch", "Trial, round, epoch",
		"A trial is a short load on one contestant. A round is one trial of every contestant in random order. An epoch is some " +
			"rounds on freshly started processes; epochs are what is counted."},
	{"void", "Void",
		"A round in which others used the CPUs, the hypervisor withheld them, or the generator or the machine stood still, is thrown " +
			"away for all contestants and repeated. The results themselves are never looked at for this."},
	{"rank", "Rank interval",
		"Rank 2–3 says: the place is somewhere from 2 to 3, as surely as all other places on this page together. It counts who is " +
			"surely ahead and who is surely behind. Where two intervals overlap, the data does not order them."},
	{"tier", "Tier",
		"A new tier begins with the first contestant that is surely worse than the leader of the tier above, by more than the " +
			"margin. Neighbours across a border may still be undecided against each other. Within a tier the order is alphabetical."},
	{"different", "Different",
		"The signed-rank test over epochs, corrected for the number of pairs (Holm) and of looks, leaves no room for chance."},
	{"tie", "Tie, negligible, undecided",
		"A tie is shown, not assumed: the interval lies within the margin. Negligible is a sure difference within the margin. " +
			"Undecided means that the data says neither; it is never a tie."},
	{"canary", "A/A check",
		"The yardstick runs twice, the second time under another name. If the run finds a difference between the two, it would " +
			"find one anywhere."},
	{"bound", "Lower bound",
		"The contestant reached what the load generator can do for this shape of load. It may be faster than shown, and is never " +
			"ranked above another for it."},
	{"throughput", "Requests per second",
		"Right answers per second of the counted window, all connections busy. Every response is checked; one that breaks the " +
			"contract is an error, not throughput."},
	{"cpu_per_request", "CPU per request",
		"CPU time of the server's whole process tree, by right answers. It is the steadiest figure on a shared machine, but on a " +
			"busy single core it says nearly the same as throughput: do not count them as two proofs."},
	{"p50", "Median service time",
		"From sending a request to its answer, with all connections busy. Under this kind of load it mostly tells how long " +
			"requests queue; it is no promise for a user at a lower rate."},
	{"response_p50", "Response time, median",
		"From the moment a request was due to its answer, at a rate that the server does not choose: what a user waits, queueing included."},
	{"response_p99", "Response time, 99 %",
		"The same for the slowest hundredth, per trial, where at least ten requests lie beyond it. On a shared machine others are in it."},
	{"instructions_per_request", "Instructions per request",
		"Instructions that the server's process tree retired, by right answers: the steadiest figure of all, but an instruction may take long."},
	{"server_cpu_share", "CPU of the server",
		"CPU time of the server's process tree, of what its CPUs had in the window."},
	{"companion_cpu_share", "CPU of the companion",
		"CPU time of the program that the server calls, of what the generator's CPUs had, for it runs there. It is nobody's fault and no figure of the server."},
	{"generator_cpu_share", "CPU of the generator",
		"CPU time of the load generator, of what its CPUs had. Where it and the companion together use nearly all, the server may be faster than shown."},
	{"memory", "Memory",
		"Proportional set size (PSS) of the process tree right after a trial."},
	{"heap_inuse", "Heap in use",
		"Of Go programs: memory in spans of the heap that are in use, right after a trial with its connections still open (runtime.MemStats.HeapInuse). It goes up and down with the " +
			"garbage collector: medians of many trials say what one sample cannot."},
	{"alloc_per_request", "Allocated per request",
		"Of Go programs: what was allocated on the heap in the window, by right answers. What the reading itself allocates is measured and left out."},
	{"cpu_time", "CPU time",
		"CPU time of the server's whole process tree for the requests of one load; of an idle process since its start."},
	{"cpu_since_start", "CPU time since the start",
		"The same from the start of the process to the end of the load, all loads before among it: what top shows."},
	{"threads", "Threads", "Of the process tree, right after a load."},
	{"sockets", "Open sockets",
		"That the process tree holds when the last answer of a load is there and its kept connections are still open; one that listens counts too."},
	{"swap_pss", "Swapped",
		"The proportional share of the process tree's memory that lies in swap (SwapPss). It depends on what else the machine holds, and is compared with nothing."},
	{"first_answer", "First answer",
		"From the start of the process to its first right answer: launch, load of its code and data, listening. Median of the starts, one each epoch."},
	{"warm_up", "Warm-up",
		"Loaded by turns with the others, from the first window of load to the one with which the level began that it stayed at: 0 is a contestant that " +
			"is at its speed at once. Its class is flat, warmed (it became faster), slowdown (it was faster before), or no steady state."},
	{"memory_per_connection", "Memory per connection",
		"What one more idle connection takes, after it has carried a request: the slope of PSS over the numbers of connections held (Theil–Sen), median of the epochs."},
}
