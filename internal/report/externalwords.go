package report

import (
	"fmt"
	"math"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// externalWays describes why each load generator's figures differ from dyno's, whatever server it
// loads. The reasons were read in wrk 4.2 (src/wrk.c, src/stats.c), ab (support/ab.c in httpd's
// trunk), bombardier 2 (bombardier.go, clients.go, and client.go in its fasthttp) and h2load 1.69
// (src/h2load.cc), and observed with wrk 4.1, ab 2.3, bombardier 1.2 and h2load 1.52 on servers
// that stall and break off.
var externalWays = map[string][]string{
	"wrk": {
		dialsWithin,
		"Its latencies include estimates: for each latency longer than twice the mean time between requests of a " +
			"connection, it adds the shorter ones that it assumes to be missing. It always does so and does not " +
			"mention it.",
		"A request without a response is in none of its counts. It was run with dyno's time-out; by default it " +
			"omits latencies above 2 s.",
		looksAtStatus,
	},
	"ab": {
		dialsWithin + " It has one thread and uses HTTP/1.0.",
		"A response without 'Connection: keep-alive' ends for it only when the server closes the connection: from " +
			"a server that keeps it open it gets no responses.",
		"Its latencies, including the mean, are whole milliseconds.",
		"A response counts as failed if its length differs from that of the first one; it also checks the status. " +
			"dyno checks status, length and body.",
	},
	"bombardier": {
		dialsWithin,
		"If a connection ends before a response, its client sends a GET again, up to five times, and counts it " +
			"once: such errors show only in its bytes.",
		"Its latencies include failed requests. Since November 2017 their standard deviation counts each distinct " +
			"latency, in whole microseconds, once, and divides by the number of all: the more requests, the smaller.",
		"Its rate here is its responses ÷ its time; the Reqs/sec that it prints is a mean of samples of 10 ms or more.",
		looksAtStatus,
	},
	"h2load": {
		dialsWithin,
		"Before version 1.69 it prints no percentiles. Its latencies are a random sample of at most a million " +
			"requests.",
		looksAtStatus,
	},
}

const (
	dialsWithin   = "Its measured time includes opening the connections; dyno's does not."
	looksAtStatus = "It checks the status of responses; dyno checks status, length and body."
)

// Limits for the explanations. From nearCeiling on, a rate is due to the generator as much as to
// the server (method.md, V02). Two rates within SameRate of each other need no reason. A printed
// mean agrees with Little's law if it is within littleWide, or within half of ab's last digit.
const (
	nearCeiling = 0.8
	SameRate    = 0.05
	littleWide  = 0.05
	halfOfAbNS  = 5e5
)

// said returns explanations of the differences between the generators, by contestant.
func (d *external) said() (lines []string) {
	for i := range d.rows {
		if r := &d.rows[i]; r.External != "" && r.Contestant != d.run.Plan.Ceiling {
			lines = append(lines, r.Title+": "+strings.Join(d.differ(d.row(r.Contestant, ""), r), " "))
		}
	}
	return lines
}

// ways returns the general differences between a generator and dyno.
func (d *external) ways(tool string) []string {
	ways := append([]string{}, externalWays[tool]...)
	if r := d.row(d.run.Plan.Ceiling, tool); len(r.Loads) > 0 && math.IsNaN(r.rate()) {
		ways = append(ways, "Its ceiling is unknown, because it reported no rate for the server that "+
			"does nothing"+because(r.Loads[0])+".")
	}
	ways = append(ways, "It repeats the same request; dyno uses random inputs of the scenario for each request.")
	if d.run.Plan.Ceiling == "" {
		ways = append(ways, "The ceilings of both were not measured: this needs a scenario without a delay or a "+
			"service, and "+
			"--controls other than none.")
	}
	return ways
}

// differ explains the differences between the loads on one contestant.
func (d *external) differ(own, reported *LoadsBy) (says []string) {
	a, b, by := own.rate(), reported.rate(), reported.By()
	switch {
	case math.IsNaN(b) || b == 0:
		says = append(says, by+" reported no rate.")
	case math.IsNaN(a) || a == 0:
		says = append(says, "dyno has no rate to compare with.")
	default:
		says = append(says, fmt.Sprintf("%s reports %s × our requests per second (%s against %s).", by, Sig3(b/a),
			Sig3(b), Sig3(a)))
		if text := d.others(own, reported); text != "" {
			says = append(says, text)
			for _, r := range []*LoadsBy{own, reported} {
				if d.share(r) > 1 {
					says = append(says, "What "+r.By()+" reached with the server that does nothing is less, so it "+
						"is not a ceiling.")
				}
			}
			break // no other reason can be told from that
		}
		says = append(says, rates(by, a, b, d.share(own), d.share(reported))...)
		if math.Abs(b/a-1) > SameRate && !d.atLimit(own) && !d.atLimit(reported) && !dialled(reported) {
			says = append(says, "The two loads used separate processes, one after the other. On a shared machine this "+
				"alone can cause such differences; more loads (--epochs) show whether they persist.")
		}
	}
	for i := range reported.Loads {
		t := reported.Loads[i]
		if t.Reported == nil {
			continue
		}
		says = append(says, d.connections(t)...)
		says = append(says, d.latency(t)...)
		if t.Reported.Exit != "" {
			says = append(says, by+" ended with: "+document.Clean(t.Reported.Exit)+".")
		}
		if t.Reported.Trouble != "" {
			says = append(says, "Parts of its output could not be read: "+document.Clean(t.Reported.Trouble)+".")
		}
		break // of further loads the table has the middle
	}
	return says
}

// because returns the reason that a load's generator gave for a failure.
func because(t *record.Trial) string {
	if t.Reported == nil || t.Reported.Exit == "" {
		return ""
	}
	return " (" + document.Clean(t.Reported.Exit) + ")"
}

// others says which loads were disturbed that a comparison relies on: the contestant's, and those
// that show the ceilings.
func (d *external) others(own, reported *LoadsBy) string {
	var disturbed []string
	for _, r := range []*LoadsBy{own, reported, d.row(d.run.Plan.Ceiling, ""), d.row(d.run.Plan.Ceiling,
		reported.External)} {
		for i := range r.Loads {
			if judge.Disturbed(r.Loads[i : i+1]) {
				name := r.By() + "'s load"
				if r.Contestant == d.run.Plan.Ceiling {
					name += " of " + r.Title
				}
				disturbed = append(disturbed, name)
				break
			}
		}
	}
	if len(disturbed) == 0 {
		return ""
	}
	return "Other programs used the " +
		"CPUs during " + And(disturbed) + ", so the cause of the difference cannot be determined."
}

// rates compares the two rates, dyno's first, and looks for a reason in the ceilings.
func rates(by string, a, b, shareA, shareB float64) (says []string) {
	if !math.IsNaN(shareA) && !math.IsNaN(shareB) {
		text := fmt.Sprintf("That is %s of the rate of %s with a server that does nothing; ours is %s of ours.",
			PerCent(shareB), by, PerCent(shareA))
		switch {
		case shareB > nearCeiling && shareA > nearCeiling:
			text += " Both are at their own limit: neither rate is the server's."
		case shareB > nearCeiling:
			text += fmt.Sprintf(" %s is at its own limit: its rate is a lower bound.", by)
		case shareA > nearCeiling:
			text += " dyno is at its own limit: its rate is a lower bound."
		}
		says = append(says, text)
	}
	if math.Abs(b/a-1) <= SameRate {
		says = append(says, "They agree.")
	}
	return says
}

// atLimit reports whether the generator was at its own limit.
func (d *external) atLimit(r *LoadsBy) bool { return d.share(r) > nearCeiling }

// dialled reports whether a tenth of the responses or more cost a new connection, which alone
// explains another rate.
func dialled(r *LoadsBy) bool {
	for i := range r.Loads {
		if t := r.Loads[i].Reported; t != nil {
			return t.KeptAlive != nil && t.Answered != nil && float64(*t.KeptAlive) <= .9*float64(*t.Answered)
		}
	}
	return false
}

// connections says whether connections were kept open.
func (d *external) connections(t *record.Trial) []string {
	k, n := t.Reported.KeptAlive, t.Reported.Answered
	if k == nil || n == nil || *n == 0 || *k >= *n {
		return nil
	}
	return []string{fmt.Sprintf(
		"Of %s responses %s kept the connection open; each of the others cost a new connection.",
		document.Whole(*n), document.Whole(*k))}
}

// latency compares the printed mean with Little's law: if all connections in a closed loop are in
// use, it equals connections ÷ rate.
func (d *external) latency(t *record.Trial) []string {
	mean, rate := t.Reported.MeanNS, t.Reported.RatePerSec
	if mean == nil || rate == nil || *rate <= 0 {
		return nil
	}
	little := float64(d.run.Plan.LevelOf(t).Connections*max(1, d.run.Plan.LevelOf(t).Pipeline)) / *rate * 1e9
	text := fmt.Sprintf("Its mean latency, %s, against %s by Little's law (connections ÷ rate)",
		Duration(float64(*mean)), Duration(little))
	switch far := float64(*mean)/little - 1; {
	case math.Abs(far) <= littleWide, t.External == "ab" && math.Abs(float64(*mean)-little) <= halfOfAbNS:
		return []string{text + ": they agree."}
	case far > 0 && t.External == "wrk":
		return []string{text + ": the excess was added by its correction, or is waiting that its rate does not " +
			"reflect."}
	case far > 0:
		return []string{text + ": more than its own rate allows."}
	}
	return []string{text + ": not all connections were in use, or responses are missing from its latencies."}
}
