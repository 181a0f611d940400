package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gone matches what older records have.
var gone = regexp.MustCompile(`,"` + goneKeys + `|"` + goneKeys + `,`)

const goneKeys = `(?:(?:clock|stall)":\{[^{}]*\}|(?:costs|memory)":\[[^\]]*\]|(?:turbo|thp)":"\w*"|` +
	`(?:tcp_tw_reuse|tcp_timestamps|somaxconn|aslr|timer_slack_ns|sleeps|sleep_p[59][09]_ns|loaded_ns|run_queue_ns|http2|simultaneous|ranked|strict|` +
	`drop_rounds|rate_(?:first|last)_per_cpu_sec|peak_rss_bytes|switches_(?:in)?voluntary_total|lines_of_code)":(?:true|\d+))`

// Every committed recording is read in full, with all its keys, and Write's output gives it back.
func TestCommittedRecordings(t *testing.T) {
	files, err := filepath.Glob("../../studies/*/*.jsonl.gz")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		run, err := Open(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for line := range strings.Lines(unpacked(t, file)) {
			if err := strictly(gone.ReplaceAllString(line, "")); err != nil {
				t.Fatalf("%s: %v: %.300s", file, err, line)
			}
		}
		if p := &run.Plan; p.Format != Format || len(run.Trials) == 0 || run.End == nil {
			t.Fatalf("%s: format %d, %d trials, end %v", file, p.Format, len(run.Trials),
				run.End)
		}
		var b bytes.Buffer
		if err := Write(&b, run); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, file)
		if err != nil {
			t.Fatal(err)
		}
		if again.End != nil {
			again.End.Records, again.End.SHA256 = run.End.Records, run.End.SHA256
		}
		if !reflect.DeepEqual(run, again) {
			t.Errorf("%s: written anew as format %d: %s", file, again.Plan.Format, cmp.Diff(run, again))
		}
	}
}

// Another format is refused.
func TestOtherFormats(t *testing.T) {
	for format, line := range map[int]string{1: `{"plan":{"format":1}}`, 2: `{"plan":{"format":2}}`} {
		_, err := Read(strings.NewReader(line+"\n"), "old")
		if want := fmt.Sprintf("read old:1:1: format %d; this dyno reads format "+
			"3", format); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// strictly decodes a line; an unknown key is an error.
func strictly(line string) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(new(Record))
}

func unpacked(t *testing.T, file string) string {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
