package study

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// judged passes a record through everything that dyno report and dyno run --resume compute before
// they load anything. It returns the error if the record is refused.
func judged(file []byte) error {
	run, err := record.Read(bytes.NewReader(file), "record")
	if err != nil {
		return err
	}
	if err := plan.Check(&run.Plan); err != nil {
		return fmt.Errorf("record:1:1: %w", err)
	}
	if err := judge.Assert(run); err != nil {
		return err
	}
	data := Evaluate(run)
	data.Verbose = true
	for _, name := range []string{"text", "html", "json", "markdown", "csv", "svg"} {
		if err := report.Formats[name](io.Discard, data); err != nil && name != "svg" {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if run.End = nil; run.Plan.InRounds() {
		if _, err := plan.Resumable(run); err == nil {
			plan.Next(run, func() bool { return false })
			plan.ProgressOf(run, &plan.Cost{})
		}
	}
	return nil
}

// excerpt returns a committed record's lines for its first epochs, with a record of each kind that
// it lacks.
func excerpt(t testing.TB, name string, epochs int, change func(*record.Run)) [][]byte {
	t.Helper()
	packed, err := os.ReadFile("../../studies/" + name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	run, err := record.Read(z, name)
	if err != nil {
		t.Fatal(err)
	}
	epochs += run.Plan.Pilots
	if len(run.Plan.Contestants) > 3 {
		run.Plan.Contestants = run.Plan.Contestants[:3]
	}
	run.Trials = slices.DeleteFunc(run.Trials, func(r *record.Trial) bool { return r.Epoch >= epochs })
	run.Launches = slices.DeleteFunc(run.Launches, func(r record.Launch) bool { return r.Epoch >= epochs })
	run.Idle = slices.DeleteFunc(run.Idle, func(r record.Idle) bool { return r.Epoch >= epochs })
	run.End = &record.End{Reason: "decided"}
	if change != nil {
		change(run)
	}
	var b bytes.Buffer
	if err := record.Write(&b, run); err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"))
}

// records holds an excerpt for each kind of plan.
func records(t testing.TB) map[string][][]byte {
	one := func(run *record.Run) { // at one level, all pairs
		p := &run.Plan
		p.Levels, p.Study.LevelNames, p.Cells, p.Family, p.ExtraEpochs, p.Study.Slug = p.Levels[:1], nil, nil, nil, nil, ""
		p.Complete()
		plan.Ride(p, nil, func(plan.Asking) bool { return true })
		run.Trials = slices.DeleteFunc(run.Trials, func(r *record.Trial) bool { return r.Level != nil })
		run.Alike = &record.Alike{Sent: []string{"GET / HTTP/1.1"}, Requests: 2, Constant: 1}
		run.Sampled = []record.Sampled{{Contestant: run.Plan.Contestants[0], Epoch: 2, Answers: 900, Compared: 90}}
		run.Failures = []record.Failure{{Contestant: run.Plan.Contestants[2], Stage: "load", Epoch: 3, Reason: "it died"}}
		run.Resumes = []record.Resume{{Epoch: 3, StartedUnixNS: 1795925823678387}}
		run.Idle = []record.Idle{{Contestant: run.Plan.Contestants[0], Epoch: 2}}
	}
	everyPair := func(run *record.Run) { // at each level
		p := &run.Plan
		p.Cells, p.Family, p.Epochs = nil, nil, []int{3}
		p.Complete()
		p.Family = nil
		for level := range p.Levels {
			p.Family = append(p.Family, p.PairsAt(level)...)
		}
	}
	const templates = "iris-vs-netcore-templates/trials.jsonl.gz"
	return map[string][][]byte{
		"paired":  excerpt(t, templates, 2, one),
		"levels":  excerpt(t, templates, 2, nil),
		"fresh":   excerpt(t, "httprouter-vs-fasthttp/trials.jsonl.gz", 2, nil),
		"pairs":   excerpt(t, templates, 2, everyPair),
		"classic": excerpt(t, "iris-vs-netcore-mvc/classic.jsonl.gz", 3, nil),
	}
}

// field is a record's key, and the values that somebody may put there.
type field struct {
	path   []string // "[]" is the first of a list
	values []string
}

func (f field) String() string { return strings.Join(f.path, ".") }

// fields lists all keys below a type.
func fieldsOf(typ reflect.Type, path []string, in map[reflect.Type]bool) (all []field) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	f := field{slices.Clone(path), []string{"null", `"\u001b[31m<script>"`, "{}"}}
	add := func(values ...string) { f.values = append(f.values, values...) }
	switch typ.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		add("-9223372036854775808", "9223372036854775807", "-1", "0", "1", "100000000")
	case reflect.Float64:
		add("-1e308", "1e308", "-1", "0", "5e-324")
	case reflect.String:
		add(`""`, `"`+strings.Repeat("x", 1<<16)+`"`, `"https"`)
	case reflect.Bool:
		add("true")
	case reflect.Map:
		add(`{"":-9223372036854775808}`, `{"":""}`, `{"a":9223372036854775807,"b":9223372036854775807}`)
	case reflect.Slice:
		elem := "{}"
		switch typ.Elem().Kind() {
		case reflect.Int, reflect.Int64, reflect.Float64, reflect.Uint8:
			elem = "-1"
		case reflect.String:
			elem = `"x"`
		case reflect.Slice:
			elem = "[]"
		}
		add("["+elem+"]", "["+strings.Repeat(elem+",", 20_000)+elem+"]",
			"[-9223372036854775808]", "[9223372036854775807]", "[100000000]")
		if typ.Elem().Kind() == reflect.Struct || typ.Elem().Kind() == reflect.Slice {
			all = fieldsOf(typ.Elem(), append(path, "[]"), in)
		}
	case reflect.Struct:
		if in[typ] {
			break
		}
		in[typ] = true
		for i := range typ.NumField() {
			sub := typ.Field(i)
			key, _, _ := strings.Cut(sub.Tag.Get("json"), ",")
			switch {
			case key == "-":
			case sub.Anonymous:
				all = append(all, fieldsOf(sub.Type, path, in)...)
			default:
				all = append(all, fieldsOf(sub.Type, append(path, key), in)...)
			}
		}
		delete(in, typ)
	}
	if len(path) == 0 {
		return all
	}
	return append(all, f)
}

// with returns v with value at path.
func with(v any, path []string, value json.RawMessage) any {
	if len(path) == 0 {
		return value
	}
	if path[0] == "[]" {
		list, _ := v.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = with(list[0], path[1:], value)
		return list
	}
	m, _ := v.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	m[path[0]] = with(m[path[0]], path[1:], value)
	return m
}

// mutants calls try for each hostile value in each key, in each kind of record, or in those that
// differ between protocols, with the line number.
func mutants(t testing.TB, lines [][]byte, everything bool,
	try func(f field, value string, line int, record func() []byte)) {
	done := map[string]bool{}
	for i, line := range lines {
		kind, _, _ := strings.Cut(strings.TrimPrefix(string(line), `{"`), `"`)
		if done[kind] {
			continue
		}
		done[kind] = true
		if !everything && !slices.Contains([]string{"plan", "launch", "trial", "idle", "resume"}, kind) {
			continue
		}
		typ, ok := reflect.TypeFor[record.Record]().FieldByNameFunc(func(name string) bool {
			return strings.EqualFold(name, kind)
		})
		if !ok {
			t.Fatalf("no record %q", kind)
		}
		for _, f := range fieldsOf(typ.Type, []string{kind}, map[reflect.Type]bool{}) {
			for _, value := range f.values {
				try(f, value, i+1, func() []byte {
					var v any
					d := json.NewDecoder(bytes.NewReader(line))
					d.UseNumber()
					if err := d.Decode(&v); err != nil {
						t.Fatal(err)
					}
					changed, err := json.Marshal(with(v, f.path, json.RawMessage(value)))
					if err != nil {
						t.Fatal(err)
					}
					all := slices.Clone(lines)
					all[i] = append(changed, '\n')
					if kind != "end" { // whose digest would find every change
						all = all[:len(all)-1]
					}
					return bytes.Join(all, nil)
				})
			}
		}
	}
}

// A record is foreign data: whatever a key holds is judged, or refused with its line and key. A
// share of the mutants is tried; DYNO_HOSTILE=all tries each.
func TestHostileRecords(t *testing.T) {
	every := 23
	switch {
	case os.Getenv("DYNO_HOSTILE") == "all": // half an hour
		every = 1
	case testing.Short():
		every = 97
	}
	for name, lines := range records(t) {
		t.Run(name, func(t *testing.T) {
			if err := judged(bytes.Join(lines, nil)); err != nil {
				t.Fatal(err)
			}
			all := 0
			mutants(t, lines, name == "paired", func(f field, value string, line int, record func() []byte) {
				if len(value) > 60 {
					value = value[:60] + "…"
				}
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s = %s: %v\n%s", f, value, p, debug.Stack())
					}
				}()
				if all++; all%every != 0 {
					return
				}
				hostile := record()
				began := time.Now()
				err := judged(hostile)
				if d := time.Since(began); d > time.Second {
					t.Logf("%s = %s: %v (%v)", f, value, d, err)
				}
				var defect *judge.Defect // which names the trial
				if err == nil || errors.As(err, &defect) {
					return
				}
				text := err.Error()
				named := strings.Contains(text, f.path[0]) || strings.Contains(text, "format") ||
					strings.Contains(text, "line is longer")
				if !named || !strings.Contains(text, fmt.Sprintf(":%d:", line)) {
					t.Errorf("%s = %s: line %d, and the error says: %v", f, value, line, err)
				}
			})
		})
	}
}

// Whatever a record holds, it is judged or refused.
func FuzzRecord(f *testing.F) {
	for _, lines := range records(f) {
		f.Add(bytes.Join(lines, nil))
	}
	f.Fuzz(func(_ *testing.T, record []byte) { _ = judged(record) })
}
