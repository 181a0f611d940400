package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() []Record {
	cpu := int64(123)
	return []Record{
		{Plan: smallPlan()},
		{Host: &Host{OS: "linux", CPUs: 2}},
		{Contestant: &Contestant{Name: "a", Version: "v1"}},
		{Launch: &Launch{Contestant: "a", ReadyNS: 5}},
		{Trial: &Trial{Key: Key{Seed: 9, Epoch: 1, Round: 2}, Contestant: "a", Load: Load{Started: 3, Succeeded: 3},
			Server: Usage{CPUNS: &cpu}}},
		{Failure: &Failure{Contestant: "a", Stage: "load", Reason: "reset"}},
		{End: &End{Reason: "decided"}},
	}
}

// planLine is the smallest readable plan.
const planLine = `{"plan":{"format":3,"processes":"epoch","levels":[{"connections":1}]}}` + "\n"

func smallPlan() *Plan {
	return &Plan{Format: Format, Processes: PerEpoch, Contestants: []string{"a"},
		Levels: []Level{{Connections: 1}}, Seed: 9}
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
	if got, _ := Open(dir); got.Trials[0].Server.PrivateBytes != nil {
		t.Error("missing became a number")
	}
	if _, err := Create(dir); err == nil {
		t.Error("a run was overwritten")
	}
}

func TestReadErrorsSayWhere(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "empty",
		`{"trial":{}}`:           "t.jsonl:1:1: the first line has no plan",
		`{"plan":{"format":99}}`: "format 99; this dyno reads format 3",
		planLine + "{\"trial\":{\"epoch\":\"x\"}}\n": "t.jsonl:2:",
		planLine + "nonsense\n{}\n":                  "t.jsonl:2:2",
	} {
		_, err := Read(strings.NewReader(in), "t.jsonl")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; want %q", in, err, want)
		}
	}
}

func TestLineCutOffByACrashIsDropped(t *testing.T) {
	run, err := Read(strings.NewReader(planLine+"{\"trial\":{\"epoch\":1}}\n{\"trial\":{\"ep"),
		"t.jsonl")
	if err != nil || len(run.Trials) != 1 {
		t.Errorf("%d trials, error %v", len(run.Trials), err)
	}
}

// When a disk is full for a while, a partial line is cut away, nothing comes after it, and the run
// can be continued.
func TestFailedWriteLeavesWholeLines(t *testing.T) {
	for name, cut := range map[string]error{"cut back": nil, "not even cut": errors.New("read-only file system")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Append(Record{Plan: smallPlan()}); err != nil {
				t.Fatal(err)
			}
			disk := &fullDisk{storeFile: s.f, room: 9, cut: cut}
			s.f = disk
			err = s.Append(Record{Trial: &Trial{Contestant: "a"}})
			var stopped *Stopped
			if !errors.As(err, &stopped) || !errors.Is(err, errFull) || stopped.Records != 1 ||
				(stopped.Cut == nil) != (cut == nil) {
				t.Fatalf("error %v", err)
			}
			disk.room = 1 << 20
			if again := s.Append(Record{End: &End{Reason: "failed"}}); !errors.Is(again, err) {
				t.Errorf("after a failed write: %v", again)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if run, err := Open(dir); err != nil || len(run.Trials) != 0 || run.End != nil {
				t.Errorf("%+v, %v", run, err)
			}
			if s, err = Continue(dir); err != nil {
				t.Fatal(err)
			}
			err = errors.Join(s.Append(Record{Trial: &Trial{Contestant: "b"}}),
				s.Append(Record{End: &End{Reason: "last analysis"}}), s.Close())
			if run, e := Open(dir); errors.Join(err, e) != nil || len(run.Trials) != 1 || run.End == nil ||
				run.End.Records != 2 {
				t.Errorf("%+v, %v, %v", run, err, e)
			}
		})
	}
}

var errFull = errors.New("no space left on device")

// fullDisk takes room bytes more, as a file on a full disk does.
type fullDisk struct {
	storeFile
	room int
	cut  error
}

func (d *fullDisk) Write(b []byte) (int, error) {
	n, err := d.storeFile.Write(b[:min(len(b), d.room)])
	if d.room -= n; err == nil && n < len(b) {
		err = errFull
	}
	return n, err
}

func (d *fullDisk) Truncate(size int64) error {
	if d.cut != nil {
		return d.cut
	}
	return d.storeFile.Truncate(size)
}

// A failed sync may have lost data: the store accepts nothing more.
func TestFailedSyncStopsTheStore(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.f = failedSync{s.f}
	var stopped *Stopped
	if err := s.Sync(); !errors.Is(err, errFull) {
		t.Errorf("sync: %v", err)
	}
	if err := s.Append(Record{Plan: smallPlan()}); !errors.As(err, &stopped) {
		t.Errorf("append: %v", err)
	}
}

type failedSync struct{ storeFile }

func (failedSync) Sync() error { return errFull }

// ended is a record with two stretches, each with its end.
func ended(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	records := sample()
	for _, r := range append(records, Record{Resume: &Resume{Epoch: 2}}, records[4],
		Record{End: &End{Reason: "last analysis"}}) {
		if r.Resume != nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Continue(dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, TrialsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDamageIsReported(t *testing.T) {
	whole := ended(t)
	if run, err := Read(strings.NewReader(whole), "t"); err != nil || run.End == nil || run.End.Records != 9 ||
		len(run.End.SHA256) != 64 {
		t.Fatalf("whole: %v", err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	without := func(i int) string { return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "") }
	for name, c := range map[string]struct {
		text   string
		want   string
		trials int // before the damage
	}{
		"glued":  {strings.Replace(whole, lines[4], lines[4][:40]+lines[4], 1), "t:5:43: invalid character", 0},
		"edited": {strings.Replace(whole, `"succeeded":3`, `"succeeded":4`, 1), "t:7:1: the checksum", 1},
		"end edited": {strings.Replace(whole, `"reason":"last analysis"`, `"reason":"decided"`, 1),
			"t:10:1: the checksum", 2},
		"line lost":     {without(3), "t:6:1: there are 5 records before the end of the run, which counts 6", 1},
		"line repeated": {lines[0] + lines[1] + lines[1] + strings.Join(lines[2:], ""), "t:8:1: there are 7 records", 1},
		"plan repeated": {lines[0] + lines[1] + lines[4] + whole, "t:4:1: there is a second plan", 1},
		"joined":        {without(7), "t:8:1: there is a record after the end of the run", 1},
		"line's end":    {strings.Replace(whole, "\n", "\r\n", 1), "t:7:1: the checksum", 1},
		"digest lost":   {strings.Replace(whole, digestKey, `,"sha":"`, 1), "t:7:1: the checksum", 1},
	} {
		_, err := Read(strings.NewReader(c.text), "t")
		var d *Damaged
		if !errors.As(err, &d) || !strings.HasPrefix(err.Error(), "read "+c.want) {
			t.Errorf("%s: error %v; want %q", name, err, c.want)
			continue
		}
		if len(d.Run.Trials) != c.trials || d.Run.Damage != err {
			t.Errorf("%s: %d trials before it; damage %v", name, len(d.Run.Trials), d.Run.Damage)
		}
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, whole+strings.Repeat(lines[4], 500))
	w.Close()
	short := filepath.Join(t.TempDir(), TrialsFile+".gz")
	os.WriteFile(short, z.Bytes()[:z.Len()-12], 0o644)
	var d *Damaged
	if _, err := Open(short); !errors.As(err, &d) {
		t.Errorf("a compressed record cut short: %v", err)
	}
	// A record older than digests is read as ever.
	old := regexp.MustCompile(`,"records":\d+,"sha256":"\w+"`).ReplaceAllString(whole, "")
	if run, err := Read(strings.NewReader(old), "t"); err != nil || len(run.Trials) != 2 || run.End.SHA256 != "" {
		t.Errorf("older: %v", err)
	}
}

// Rewritten records, as by trim, have their own end.
func TestWriteSealsAnew(t *testing.T) {
	run, err := Read(strings.NewReader(ended(t)), "t")
	if err != nil {
		t.Fatal(err)
	}
	before := run.End.SHA256
	run.Trials = run.Trials[:1]
	var b bytes.Buffer
	if err := Write(&b, run); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&b, "t")
	if err != nil || again.End.SHA256 == before || again.End.Records != 7 {
		t.Errorf("%+v, %v", again.End, err)
	}
}

// A last line that lacks only its newline was read, so it is not cut away when the run continues.
func TestContinueKeepsWhatReadReads(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, TrialsFile)
	if err := os.WriteFile(path, []byte(planLine+"{\"trial\":{\"epoch\":1}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Continue(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(s.Append(Record{Resume: &Resume{Epoch: 2}}), s.Append(Record{End: &End{Reason: "last analysis"}}),
		s.Close())
	if run, e := Open(dir); errors.Join(err, e) != nil || len(run.Trials) != 1 || run.End.Records != 3 {
		t.Errorf("%+v, %v, %v", run, err, e)
	}
}

// Nor is it lost if the disk has no room for its newline.
func TestContinueOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, TrialsFile)
	const text = planLine + "{\"trial\":{\"epoch\":1}}"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &Store{f: &fullDisk{storeFile: f}, sealer: newSealer()}
	rest, err := s.scan(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.settle(rest); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	if run, err := Open(dir); err != nil || len(run.Trials) != 1 {
		t.Errorf("%+v, %v", run, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(planLine + "{\"trial\":{\"epoch\":1}}\n{\"trial\":{\"ep"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		run, err := Read(bytes.NewReader(b), "f")
		if (run == nil) == (err == nil) {
			t.Fatal("want either a run or an error")
		}
		var d *Damaged
		if errors.As(err, &d) && (d.Run == nil || d.Line < 2) {
			t.Fatalf("damage without what stands before it: %v", err)
		}
	})
}

func TestContinueCutsTheBrokenLine(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(s.Append(Record{Plan: smallPlan()}), s.Append(Record{End: &End{Reason: "interrupted"}}),
		s.Close())
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
