package load

// leastPerLoop is the smallest number of connections per event loop, if there are enough. An open
// loop's requests are dealt out to the event loops as they fall due, and a request finds no
// connection if all in its loop are busy: at 25 % use with probability 1/13 for two connections per
// loop, and 4 in a million for 16 (Erlang's loss formula).
const leastPerLoop = 16

// Loops returns the default number of event loops: one per CPU, but each with leastPerLoop
// connections or more, and at least 1.
func Loops(cpus, connections int) int {
	return max(1, min(cpus, connections/leastPerLoop))
}
