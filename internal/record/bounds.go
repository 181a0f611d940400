package record

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Bounds for a record, which anyone may have made. dyno's own runs stay far below them.
const (
	mostLineBytes   = 1 << 20 // limit for each record
	mostRecordBytes = 1 << 30 // limit for each file, unpacked
	mostRecords     = 500_000
)

// span limits a number, or the numbers in a list; entries limits the length of a list, map or
// string.
type span struct{ least, most, entries float64 }

// wide applies to every number that bounds does not name: all JSON readers keep integers up to 2⁵³
// exactly; in ns that is 104 days.
var wide = span{0, 1 << 53, 1000}

// bounds limits keys where wide does not fit, of one type or of all. Keys that decide how much is
// computed have narrow limits.
var bounds = map[string]span{
	"contestants":       {entries: 300},
	"controls":          {entries: 20},
	"levels":            {entries: 300},
	"cells":             {entries: 20_000},
	"family":            {entries: 2000},
	"seed":              {0, 1 << 64, 0},
	"relink":            {0, 1 << 31, 0},
	"alpha":             {0, 1, 0},
	"margin":            {0, 100, 0},
	"rounds":            {1, 10_000, 10_000},
	"Plan.rounds":       {0, 10_000, 0},
	"pilots":            {0, 1000, 0},
	"epochs":            {1, 10_000, 100},
	"extra_epochs":      {0, 100, 300},
	"connect_ns":        {0, 1e10, 0},
	"answer_ns":         {0, 1e10, 0},
	"layouts":           {0, 1000, 0},
	"layout":            {0, 1000, 0},
	"Level.connections": {1, 1e6, 0},
	"pipeline":          {0, 1e6, 0},
	"step":              {0, 1000, 0},
	"delay_ns":          {0, 1e13, 0},
	"rate_per_sec":      {0, 1e12, 0},
	"rate_share":        {0, 100, 0},
	"epoch":             {0, 10_000, 0},
	"round":             {0, 10_000, 0},
	"position":          {0, 100_000, 0},
	"attempt":           {0, 10_000, 0},
	"take":              {0, 10_000, 0},
	"paused_ns":         {-1 << 53, 1 << 53, 0},
	"began_ns":          {-1 << 53, 1 << 53, 0},
	"round_trip_ns":     {-1 << 53, 1 << 53, 0},
	"error_p50_ns":      {-1 << 53, 1 << 53, 0},
	"error_p99_ns":      {-1 << 53, 1 << 53, 0},
	"cpus":              {0, 1e5, 1e4},
	"quota_cpus":        {0, 1e5, 0},
	"server_cpus":       {0, 1e5, 1e4},
	"generator_cpus":    {0, 1e5, 1e4},
	"service_cpus":      {0, 1e5, 1e4},
	"shared_cpus":       {0, 1e5, 0},
	"generators":        {entries: 100},
	"memory_bytes":      {0, 1 << 62, 0},
	"file_limit":        {0, 1 << 63, 0},
	"hard_file_limit":   {0, 1 << 63, 0},
	"windows":           {entries: 10_000},
}

// checker checks values of one type. It is compiled once, because a record has many lines.
type checker struct {
	kind   reflect.Kind
	in     span
	elem   *checker // checker of the elements of a pointer, list or map
	fields []checkedField
}

type checkedField struct {
	index int
	key   string // ".rounds"; "" for an embedded struct, whose keys belong to the outer one
	*checker
}

var recordChecker = sync.OnceValue(func() *checker {
	return compile(reflect.TypeFor[Record](), wide, map[reflect.Type]*checker{})
})

func compile(t reflect.Type, in span, known map[reflect.Type]*checker) *checker {
	if t.Kind() == reflect.Struct {
		if c := known[t]; c != nil {
			return c
		}
	}
	c := &checker{kind: t.Kind(), in: in}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		c.elem = compile(t.Elem(), in, known)
	case reflect.Struct:
		known[t] = c
		for i := range t.NumField() {
			f := t.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			in, ok := bounds[t.Name()+"."+key]
			if !ok {
				in, ok = bounds[key]
			}
			switch {
			case !ok && strings.HasSuffix(key, "_unix_ns"):
				in = span{0, 1 << 62, 0}
			case !ok:
				in = wide
			case in.most == 0:
				in.most = wide.most
			}
			in.entries = cmp.Or(in.entries, wide.entries)
			if key != "" {
				key = "." + key
			}
			c.fields = append(c.fields, checkedField{i, key, compile(f.Type, in, known)})
		}
	}
	return c
}

// check describes the first value out of bounds, with its key; "" if there is none.
func (c *checker) check(v reflect.Value) (key, wrong string) {
	var x float64
	switch c.kind {
	case reflect.Struct:
		for _, f := range c.fields {
			if key, wrong = f.check(v.Field(f.index)); wrong != "" {
				return f.key + key, wrong
			}
		}
		return "", ""
	case reflect.Pointer:
		if v.IsNil() {
			return "", ""
		}
		return c.elem.check(v.Elem())
	case reflect.Slice, reflect.Map:
		if n := v.Len(); float64(n) > c.in.entries {
			return "", fmt.Sprintf("has %d entries; at most %.0f are read", n, c.in.entries)
		}
		if c.kind == reflect.Map {
			for it := v.MapRange(); it.Next(); {
				if key, wrong = c.elem.check(it.Value()); wrong != "" {
					return "." + strconv.Quote(it.Key().String()) + key, wrong
				}
			}
			return "", ""
		}
		for i := range v.Len() {
			if key, wrong = c.elem.check(v.Index(i)); wrong != "" {
				return "[" + strconv.Itoa(i) + "]" + key, wrong
			}
		}
		return "", ""
	case reflect.Int, reflect.Int64:
		x = float64(v.Int())
	case reflect.Uint64:
		x = float64(v.Uint())
	case reflect.Float64:
		x = v.Float()
	default:
		return "", ""
	}
	if x < c.in.least || x > c.in.most {
		return "", fmt.Sprintf("is %v; it must lie between %.0f and %.0f", v, c.in.least, c.in.most)
	}
	return "", ""
}

// checkBounds returns an error that names a key with a value that no run can have: out of bounds,
// or contrary to the plan.
func checkBounds(rec *Record) error {
	key, wrong := recordChecker().check(reflect.ValueOf(rec).Elem())
	if key = strings.TrimPrefix(key, "."); wrong == "" && rec.Plan != nil {
		key, wrong = rec.Plan.check()
		key = "plan." + key
	}
	if wrong != "" {
		return fmt.Errorf("%s %s", key, wrong)
	}
	return nil
}

// check describes a contradiction in the plan, with its key; "" if there is none.
func (p *Plan) check() (key, wrong string) {
	cells := map[string][]Cell{"cells": p.Cells}
	for _, f := range p.Family {
		cells["family"] = append(cells["family"], f.A, f.B)
	}
	for key, all := range cells {
		for _, c := range all {
			if c.Level >= len(p.Levels) {
				return key, fmt.Sprintf("names level %d; the plan has %d, counted from 0", c.Level, len(p.Levels))
			}
		}
	}
	return "", ""
}
