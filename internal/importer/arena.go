package importer

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// objects reads JSON objects that are rows, wherever they are nested, as a table with one column
// per key: HttpArena's results, a list of objects, or objects by scenario. If an object has no
// scenario, its key names the scenario.
func (r *reader) objects() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	for _, values := range byObject(list) {
		r.object(values)
	}
	if len(r.doc.Rows) == 0 {
		return errors.New("no object has the keys of a result, such as rps or avg_latency")
	}
	return nil
}

// byObject splits a list into the values of one object each.
func byObject(list []leaf) (objects [][]leaf) {
	for i, l := range list {
		parent := l.path[:max(0, len(l.path)-1)]
		if i == 0 || len(list[i-1].path) != len(l.path) || !slices.Equal(list[i-1].path[:len(parent)], parent) {
			objects = append(objects, nil)
		}
		last := len(objects) - 1
		objects[last] = append(objects[last], l)
	}
	return objects
}

// object reads the values in one object. Objects that are no rows have no figures.
func (r *reader) object(values []leaf) {
	var names, cells []string
	for _, l := range values {
		key := ""
		if len(l.path) > 0 {
			key = l.path[len(l.path)-1]
		}
		names, cells = append(names, key), append(cells, l.text)
	}
	t := newTable(r, func(column int) (int, int) { return values[column].line, values[column].column })
	t.head(names)
	if _, rate := t.column["contestant"]; !rate {
		return
	}
	t.part = strings.TrimSuffix(path.Base(r.doc.Name), ".json") // as HttpArena names the list for one scenario
	if path := values[0].path; len(path) > 1 {
		if _, err := strconv.Atoi(path[len(path)-2]); err != nil {
			t.part = path[len(path)-2]
		}
	}
	if strings.HasPrefix(t.part, "stream-") { // the rate counts messages, many per response
		maps.DeleteFunc(t.wide, func(_ int, f figures) bool { return slices.Contains(AnswerClasses, f.metric) })
	}
	if take := t.take(names); take != nil {
		before := len(r.doc.Rows)
		take(cells)
		for _, row := range r.doc.Rows[before:] {
			_, known := t.column["depth"]
			row.Streams = !known // one file's profiles differ in it
		}
	}
}

// benchmarkerMetrics are the labels in the-benchmarker's data.json, with the units that its first
// collector, wrk, uses. duration_ms is then in µs: the project itself divides it by a million.
var benchmarkerMetrics = map[string]struct{ metric, unit string }{
	"total_requests_per_s": {"rps", "req/s"}, "total_requests": {"requests", ""}, "duration_ms": {"time", "us"},
	"total_bytes_received": {"transferred", "bytes"}, "http_errors": {"non2xx", ""}, "request_timeouts": {"timeouts", ""},
	"socket_connection_errors": {"connect_errors", ""}, "socket_read_errors": {"read_errors", ""},
	"socket_write_errors": {"write_errors", ""}, "average_latency": {"latency_mean", "us"},
	"minimum_latency": {"latency_min", "us"}, "maximum_latency": {"latency_max", "us"},
	"standard_deviation": {"latency_stdev", "us"},
}

// benchmarker reads the-benchmarker's data.json: each object is one figure for a framework at a
// level, as the mean over the routes.
func (r *reader) benchmarker() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	type key struct{ framework, level string }
	contestants, rows := map[string]string{}, map[key]*Row{}
	// Its second collector, oha, counts latencies in s and the duration in ms, and spells
	// percentiles in this way.
	seconds := slices.ContainsFunc(list, func(l leaf) bool { return l.text == "percentile50" })
	var ids []string // ids of each row
	for _, values := range byObject(list) {
		at := map[string]leaf{}
		for _, l := range values {
			at[l.path[len(l.path)-1]] = l
		}
		switch path := values[0].path; {
		case len(path) == 3 && path[0] == "frameworks":
			contestants[at["id"].text] = at["label"].text
		case len(path) == 3 && path[0] == "metrics":
			k := key{at["framework_id"].text, at["level"].text}
			if rows[k] == nil {
				rows[k] = r.newRow("")
				rows[k].Connections, _ = strconv.Atoi(k.level)
				rows[k].Averaged = true
				ids = append(ids, k.framework)
			}
			r.benchmarkerFigure(rows[k], at["label"], at["value"], seconds)
		}
	}
	for i, row := range r.doc.Rows {
		row.Contestant = contestants[ids[i]]
	}
	return nil
}

// benchmarkerFigure adds the figure with a label. −1 means that it was not recorded.
func (r *reader) benchmarkerFigure(row *Row, label, value leaf, seconds bool) {
	m, known := benchmarkerMetrics[label.text]
	if !known {
		if m.metric, known = metricOf(label.text); !known || !strings.HasPrefix(label.text, "percentile") {
			r.leaveOut(label.text, label.line, label.column)
			return
		}
		m.unit = "us"
	}
	switch {
	case seconds && m.metric == "time":
		m.unit = "ms"
	case seconds && m.unit == "us":
		m.unit = "s"
	}
	text := value.text
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == -1 {
		text = ""
	}
	r.add(row, m.metric, text, m.unit, value.line, value.column)
}
