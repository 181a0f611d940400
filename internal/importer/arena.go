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
