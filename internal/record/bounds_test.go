package record

import (
	"bytes"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// Every key in bounds exists, and holds numbers or several values.
func TestBoundsNameKeys(t *testing.T) {
	known := map[string]bool{}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || known[typ.Name()] {
			return
		}
		known[typ.Name()] = true
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			known[key], known[typ.Name()+"."+key] = true, true
			walk(typ.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Record]())
	for key := range bounds {
		if !known[key] {
			t.Errorf("no record has %s", key)
		}
	}
}

// zeros yields zero bytes, or lines.
type zeros struct {
	left int
	byte
}

func (z *zeros) Read(b []byte) (int, error) {
	n := min(len(b), z.left)
	if z.left -= n; n == 0 {
		return 0, io.EOF
	}
	for i := range b[:n] {
		b[i] = z.byte
	}
	return n, nil
}

// However long a record or its lines are, it is refused in little memory.
func TestLongRecords(t *testing.T) {
	for want, r := range map[string]io.Reader{
		"t:2:1: the line is longer than 1024 kB": &zeros{1 << 30, 0},
		"t:1:1: the line is longer than 1024 kB": nil,
		"the record goes on; at most":            &zeros{1 << 30, '\n'},
	} {
		first := planLine
		if r == nil {
			first, r = "", &zeros{1 << 30, '{'}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(io.MultiReader(strings.NewReader(first), r), "t")
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want …%s…", err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 200<<20 {
			t.Errorf("%s: %d MB", want, took>>20)
		}
	}
}

func TestBounds(t *testing.T) {
	for line, want := range map[string]string{
		`{"plan":{"format":3,"levels":[{}]}}`:                                         "plan.levels[0].connections is 0",
		`{"plan":{"format":3,"levels":[{"connections":1}],"cells":[{"level":1}]}}`:    "plan.cells names level 1",
		planLine + `{"trial":{"epoch":100000000}}`:                                    "2:1: trial.epoch is 100000000",
		planLine + `{"trial":{"load":{"errors":{"dial":-9223372036854775808}}}}`:      `trial.load.errors."dial" is -9223372036854775808`,
		`{"plan":{"format":3,"levels":[{"connections":1}],"epochs":[4,-1]}}`:          "plan.epochs[1] is -1",
		planLine + `{"trial":{"load":{"pace":{"half_ns":-1}}}}`:                       "trial.load.pace.half_ns is -1",
		planLine + `{"host":{"server_cpus":[0,-1]}}`:                                  "host.server_cpus[1] is -1",
		planLine + `{"host":{"generators":[{},{"cpus":-1}]}}`:                         "host.generators[1].cpus is -1",
		planLine + `{"launch":{"windows":[` + strings.Repeat("{},", 20_000) + `{}]}}`: "launch.windows has 20001 entries",
	} {
		if _, err := Read(bytes.NewReader([]byte(line+"\n")), "t"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s: %v; want …%s…", line, err, want)
		}
	}
}
