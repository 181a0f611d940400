package importer

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// teDepth is the number of requests in flight on one connection in TechEmpower's plaintext test.
const teDepth = 16

// teMetrics are the result keys that become figures. Latencies are as wrk prints them. A missing
// count is 0.
var teMetrics = map[string]string{
	"latencyAvg": "latency_mean", "latencyStdev": "latency_stdev", "latencyMax": "latency_max",
	"totalRequests": "requests", "connect": "connect_errors", "read": "read_errors", "write": "write_errors",
	"timeout": "timeouts", "5xx": "non2xx",
}

// techempower reads a results.json from the TechEmpower Framework Benchmarks.
// rawData.<test>.<framework>[i] holds a wrk run: i indexes the list of connections or, for tests
// that vary a request's queries, the list of query counts.
func (r *reader) techempower() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	at := byPath(list)
	levels := map[string][]int{}
	for _, name := range []string{"concurrencyLevels", "pipelineConcurrencyLevels", "queryIntervals",
		"cachedQueryIntervals"} {
		for i := 0; ; i++ {
			l, ok := at[name+"."+strconv.Itoa(i)]
			if !ok {
				break
			}
			n, err := strconv.Atoi(l.text)
			if err != nil || n < 1 {
				r.trouble(l.line, l.column, "%s: %q is not a level", name, l.text)
			}
			levels[name] = append(levels[name], n)
		}
	}
	if len(levels["concurrencyLevels"])+len(levels["pipelineConcurrencyLevels"]) == 0 {
		return errors.New("concurrencyLevels is missing, which gives the numbers of connections")
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
	return nil
}

// teLevel sets the connections, and other conditions, for run number level in a test.
func (r *Row) teLevel(level int, levels map[string][]int) {
	pick := func(name string) int {
		if level < 0 || level >= len(levels[name]) {
			return 0
		}
		return levels[name][level]
	}
	switch r.Scenario {
	case "plaintext":
		r.Connections, r.Depth = pick("pipelineConcurrencyLevels"), teDepth
	case "query", "update", "cached-query":
		r.Connections = slices.Max(append(levels["concurrencyLevels"], 0))
		name := "queryIntervals"
		if r.Scenario == "cached-query" {
			name = "cachedQueryIntervals"
		}
		r.Scenario += " queries=" + strconv.Itoa(pick(name))
	default:
		r.Connections = pick("concurrencyLevels")
	}
}

// perSec adds the rate that TechEmpower's site shows: requests by the planned length. The true rate
// is slightly lower, because wrk runs slightly longer than planned.
func (r *Row) perSec() {
	n := r.One(None, "requests")
	if n == nil || r.Planned <= 0 || math.IsNaN(n.Value) {
		return
	}
	v := n.Value / r.Planned
	f := r.compute(n.Place, "rps", v, PerSec, strconv.FormatFloat(v, 'f', 0, 64)+" req/s")
	f.Lo, f.Digits, f.Derived = 0.97*v, n.Digits, true
}
