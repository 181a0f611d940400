package result

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() []Record {
	cpu := int64(123)
	return []Record{
		{Plan: &Plan{Format: Format, Contestants: []string{"a"}, Seed: 9}},
		{Host: &Host{OS: "linux", CPUs: 2}},
		{Contestant: &Contestant{Name: "a", Version: "v1"}},
		{Launch: &Launch{Contestant: "a", ReadyNS: 5}},
		{Trial: &Trial{Key: Key{Seed: 9, Epoch: 1, Round: 2}, Contestant: "a", Load: Load{Started: 3, Succeeded: 3}, Server: Usage{CPUNS: &cpu}}},
		{Failure: &Failure{Contestant: "a", Stage: "load", Reason: "reset"}},
		{End: &End{Reason: "decided"}},
	}
}

func TestStoreGivesBackWhatItTook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want Run
	for _, r := range sample() {
		want.Add(r)
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(filepath.Join(dir, TrialsFile))
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(plain)
	w.Close()
	packed := filepath.Join(t.TempDir(), TrialsFile+".gz")
	if err := os.WriteFile(packed, z.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, TrialsFile), packed, filepath.Dir(packed)} {
		got, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
	if got, _ := Open(dir); got.Trials[0].Server.PSSBytes != nil {
		t.Error("missing became a number")
	}
	if _, err := Create(dir); err == nil {
		t.Error("a run was overwritten")
	}
}

func TestReadErrorsSayWhere(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "empty",
		`{"trial":{}}`:           "t.jsonl:1:1: the first line holds no plan",
		`{"plan":{"format":99}}`: "format 99; this dyno reads format 1",
		"{\"plan\":{\"format\":1}}\n{\"trial\":{\"epoch\":\"x\"}}\n": "t.jsonl:2:",
		"{\"plan\":{\"format\":1}}\nnonsense\n{}\n":                  "t.jsonl:2:2",
	} {
		_, err := Read(strings.NewReader(in), "t.jsonl")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; want %q", in, err, want)
		}
	}
}

func TestLineCutOffByACrashIsDropped(t *testing.T) {
	run, err := Read(strings.NewReader("{\"plan\":{\"format\":1}}\n{\"trial\":{\"epoch\":1}}\n{\"trial\":{\"ep"), "t.jsonl")
	if err != nil || len(run.Trials) != 1 {
		t.Errorf("%d trials, error %v", len(run.Trials), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"plan\":{\"format\":1}}\n{\"trial\":{\"epoch\":1}}\n{\"trial\":{\"ep"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		run, err := Read(bytes.NewReader(b), "f")
		if (run == nil) == (err == nil) {
			t.Fatal("want either a run or an error")
		}
	})
}

func TestContinueCutsTheBrokenLine(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(s.Append(Record{Plan: &Plan{Format: Format}}), s.Append(Record{End: &End{Reason: "interrupted"}}), s.Close())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, TrialsFile)
	whole, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(whole, `{"trial":{"se`...), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err = Continue(dir); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Append(Record{Resume: &Resume{Epoch: 3}}), s.Close()); err != nil {
		t.Fatal(err)
	}
	run, err := Open(dir)
	if err != nil || run.End != nil || len(run.Resumes) != 1 || run.Resumes[0].Epoch != 3 {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := Continue(t.TempDir()); err == nil {
		t.Error("continued nothing")
	}
}
