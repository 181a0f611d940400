package load

// leastPerLoop is how many connections an event loop has at least, where there are so many.
// Requests of an open loop are dealt out to the loops as they fall due, and one finds no connection
// when all of its loop's are busy: at 25 % use that happens to 1 in 13 with two connections a loop,
// and to 4 in a million with 16 (Erlang's loss formula).
const leastPerLoop = 16

// Loops is the number of event loops that share so many connections on so many CPUs, where none is
// asked for: one per CPU, at least 1, and each with leastPerLoop connections or more.
func Loops(cpus, connections int) int {
	return max(1, min(cpus, connections/leastPerLoop))
}
