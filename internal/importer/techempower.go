package importer

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// teDepth is how many requests TechEmpower's plaintext test has in flight on one connection.
const teDepth = 16

// teMetrics are the keys of a result and what they are. Latencies are as wrk prints them; the missing ones were zero.
var teMetrics = map[string]string{
	"latencyAvg": "latency_mean", "latencyStdev": "latency_stdev", "latencyMax": "latency_max", "totalRequests": "requests", "connect": "connect_errors",
	"read": "read_errors", "write": "write_errors", "timeout": "timeouts", "5xx": "non2xx",
}

// techempower reads a results.json of the TechEmpower Framework Benchmarks: rawData.<test>.<framework>[level] holds a run of wrk; the level
// is the place in the list of connections, or, for tests that vary the queries of a request, of those.
func (r *reader) techempower() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	at := byPath(list)
	levels := map[string][]int{}
	for _, name := range []string{"concurrencyLevels", "pipelineConcurrencyLevels", "queryIntervals", "cachedQueryIntervals"} {
		for i := 0; ; i++ {
			l, ok := at[name+"."+strconv.Itoa(i)]
			if !ok {
				break
			}
			n, err := strconv.Atoi(l.text)
			if err != nil || n < 1 {
				r.trouble(l.line, l.column, "%s: %q is no level", name, l.text)
			}
			levels[name] = append(levels[name], n)
		}
	}
	if len(levels["concurrencyLevels"])+len(levels["pipelineConcurrencyLevels"]) == 0 {
		return errors.New("concurrencyLevels is missing: without it no result has a number of connections")
	}
	planned := length(at["duration"].text, 0)
	rows := map[string]*Row{}
	for _, l := range list {
		if len(l.path) != 5 || l.path[0] != "rawData" {
			continue
		}
		key := strings.Join(l.path[:4], "\x00")
		row := rows[key]
		if row == nil {
			row = r.newRow("wrk")
			row.Scenario, row.Contestant, row.Planned, row.Edition = l.path[1], l.path[2], planned, at["uuid"].text
			level, _ := strconv.Atoi(l.path[3])
			row.teLevel(level, levels)
			rows[key] = row
		}
		if metric := teMetrics[l.path[4]]; metric != "" {
			r.add(row, metric, l.text, "", l.line, l.column)
		}
	}
	for _, row := range r.doc.Rows {
		row.perSec()
	}
	r.finish()
	return nil
}

// teLevel sets the connections of the level-th run of a test.
func (r *Row) teLevel(level int, levels map[string][]int) {
	pick := func(name string) int {
		if level < 0 || level >= len(levels[name]) {
			return 0
		}
		return levels[name][level]
	}
	most := 0
	for _, n := range levels["concurrencyLevels"] {
		most = max(most, n)
	}
	switch r.Scenario {
	case "plaintext":
		r.Connections, r.Depth = pick("pipelineConcurrencyLevels"), teDepth
	case "query", "update", "cached-query":
		r.Connections = most
		name := "queryIntervals"
		if r.Scenario == "cached-query" {
			name = "cachedQueryIntervals"
		}
		r.Scenario += " queries=" + strconv.Itoa(pick(name))
	default:
		r.Connections = pick("concurrencyLevels")
	}
}

// perSec adds the rate that TechEmpower's site shows: requests by the length of the run.
func (r *Row) perSec() {
	n := r.One(None, "requests")
	if n == nil || r.Planned <= 0 || math.IsNaN(n.Value) {
		return
	}
	v := n.Value / r.Planned
	r.Figures = append(r.Figures, &Figure{
		Place: n.Place, Row: r, Metric: "rps", Text: strconv.FormatFloat(v, 'f', 0, 64) + " req/s", Unit: PerSec, Value: v, Lo: 0.97 * v, Hi: v,
		Digits: n.Digits, Derived: true, // wrk goes on a little longer than it was told
	})
}
