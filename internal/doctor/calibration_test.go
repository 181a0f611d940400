package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dyno/internal/record"
)

// One disturbed window in three does not count.
func TestMiddleWindow(t *testing.T) {
	window := func(seen int64) record.KnownDelay { return record.KnownDelay{SeenP99NS: seen, TrueP99NS: 1000} }
	if got := middle([]record.KnownDelay{window(9_000_000), window(1040), window(1050)}); got.SeenP99NS != 1050 {
		t.Errorf("middle: %d", got.SeenP99NS)
	}
}

func TestJudgeDelays(t *testing.T) {
	d := []record.KnownDelay{
		{SeenP50NS: 45_000, TrueP50NS: 5_000, SeenP99NS: 90_000, TrueP99NS: 10_000},
		{SeenP50NS: 1_050_000, TrueP50NS: 1_002_000, SeenP99NS: 1_100_000, TrueP99NS: 1_200_000},
	}
	setErrors(d)
	if d[0].RoundTripNS != 40_000 || d[0].ErrorP50NS != 0 || d[0].ErrorP99NS != 40_000 {
		t.Errorf("no delay: %+v", d[0])
	}
	if d[1].RoundTripNS != 40_000 || d[1].ErrorP50NS != 8_000 || d[1].ErrorP99NS != -140_000 {
		t.Errorf("1 ms: %+v", d[1])
	}
	c := record.Calibration{Delays: d}
	if ns, ok := c.LatencyErrorP99NS(); ns != 140_000 || !ok {
		t.Errorf("largest error %d, %v", ns, ok)
	}
	if _, ok := (&record.Calibration{}).LatencyErrorP99NS(); ok {
		t.Error("an error without a measurement")
	}
}

func TestReadTally(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	for text, ok := range map[string]bool{
		"noise\n{\"requests\":3,\"service\":{\"p50_ns\":7}}\n": true,
		"{\"requests\":3}\n": false,
		"killed\n":           false,
		"":                   false,
	} {
		if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		tally, err := readTally(log)
		if (err == nil) != ok || ok && tally.Service.P50NS != 7 {
			t.Errorf("%q: %+v, %v", text, tally, err)
		}
	}
	if _, err := readTally(log + "x"); err == nil {
		t.Error("no error of a missing log")
	}
}

func TestLast(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if _, err := LastCalibration(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with none: %v", err)
	}
	want := &record.Calibration{Format: record.Format, BootID: "b", EndedUnixNS: 7,
		Waiting: &record.Waiting{Requests: 40}}
	for range 2 { // the second replaces the first
		if err := WriteCalibration(want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := LastCalibration()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	file, err := fileName()
	if err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
		t.Errorf("left beside it: %v, %v", list, err)
	}
	for _, text := range []string{"{", `{"format":99}`} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := LastCalibration(); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of %q: %+v, %v", text, c, err)
		}
	}
}

func TestShapeInWords(t *testing.T) {
	for want, s := range map[string]Shape{
		"1 connection":    {1, 1, 0},
		"125 connections": usual,
		"125 connections, 16 requests in flight on each": {125, 16, 0},
		"125 connections, a new one for each request":    {125, 1, 1},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
