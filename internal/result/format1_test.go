package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const recordOfFormat1 = `{"plan":{"format":1,"protocol":"duel","companion":"records","driver":"wrk","looks":[8,12],"side_epochs":3,"seed":18446744073709551615}}
{"calibration":{"format":1,"noise":{"rounds":[{"causes":{"foreign_server_ns":5,"foreign_generator_ns":6}}]}}}
{"contestant":{"name":"ref'","title":"reference, blinded copy","control":true}}
{"contestant":{"name":"records","title":"looks","companion":true}}
{"trial":{"contestant":"a","driver":"wrk","told":{"version":"wrk \"told\": 4","errors":{"read":1}},"companion":{"cpu_ns":7},"causes":{"foreign_server_ns":1,"foreign_generator_ns":2}}}
{"end":{"reason":"looks","valid_epochs":12}}
`

const recordOfFormat2 = `{"plan":{"format":2,"protocol":"paired","backend":"records","external":"wrk","interim_analyses":[8,12],"extra_epochs":3,"seed":18446744073709551615}}
{"calibration":{"format":2,"noise":{"rounds":[{"causes":{"background_server_ns":5,"background_generator_ns":6}}]}}}
{"contestant":{"name":"ref'","title":"reference, copy","control":true}}
{"contestant":{"name":"records","title":"looks","backend":true}}
{"trial":{"contestant":"a","external":"wrk","reported":{"version":"wrk \"told\": 4","errors":{"read":1}},"backend":{"cpu_ns":7},"causes":{"background_server_ns":1,"background_generator_ns":2}}}
{"end":{"reason":"last analysis","valid_epochs":12}}
`

func TestFormat1(t *testing.T) {
	for text, format := range map[string]int{recordOfFormat1: 1, recordOfFormat2: 2} {
		for line := range strings.Lines(text) { // each key is known, as it stands
			if err := strictly(line, format); err != nil {
				t.Errorf("format %d: %v: %s", format, err, line)
			}
		}
	}
	old, err := Read(strings.NewReader(recordOfFormat1), "old")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Read(strings.NewReader(recordOfFormat2), "new")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, old, cmpopts.IgnoreFields(Run{}, "OlderFormat")); diff != "" {
		t.Error(diff)
	}
	if old.OlderFormat != 1 || want.OlderFormat != 0 {
		t.Errorf("older formats %d and %d", old.OlderFormat, want.OlderFormat)
	}
	_, err = Read(strings.NewReader(strings.Replace(recordOfFormat2, `"format":2`, `"format":3`, 1)), "later")
	if err == nil || !strings.Contains(err.Error(), "format 3; this dyno reads formats 1 to 2") {
		t.Errorf("format 3: %v", err)
	}
	broken := strings.Replace(recordOfFormat1, `"foreign_generator_ns":6`, `"foreign_generator_ns":x`, 1)
	_, err = Read(strings.NewReader(broken), "old")
	if err == nil || !strings.Contains(err.Error(), "old:2:103:") { // as it stands in the file
		t.Errorf("broken: %v", err)
	}
}

// Every committed recording is read, whole and with all of its keys, and is given back by what Write
// makes of it.
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
			if err := strictly(line, max(run.OlderFormat, 1)); err != nil {
				t.Fatalf("%s: %v: %.300s", file, err, line)
			}
		}
		if p := &run.Plan; p.Format != Format || p.Protocol == "duel" || len(run.Trials) == 0 || run.End == nil {
			t.Errorf("%s: format %d, protocol %s, %d trials, end %v", file, p.Format, p.Protocol, len(run.Trials),
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
		diff := cmp.Diff(run, again, cmpopts.IgnoreFields(Run{}, "OlderFormat"),
			cmpopts.IgnoreFields(End{}, "Records", "SHA256"))
		if diff != "" || again.OlderFormat != 0 {
			t.Errorf("%s: written anew as format %d: %s", file, again.Plan.Format, diff)
		}
	}
}

// strictly decodes a line of a format; a key that is not of it is an error.
func strictly(line string, format int) error {
	b := []byte(line)
	if format < Format {
		b = withNewKeys(b)
	}
	d := json.NewDecoder(bytes.NewReader(b))
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
