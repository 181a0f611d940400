package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// TrialsFile is the one file of a run folder that holds what was measured.
const TrialsFile = "trials.jsonl"

// Store appends records to trials.jsonl and never rewrites it. Not safe for concurrent use.
type Store struct {
	f *os.File
}

// Create makes the run folder dir and an empty trials.jsonl in it. It fails if the file is there already.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, TrialsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	return &Store{f: f}, nil
}

// Continue opens the trials.jsonl of the run folder dir, to append to it. A last line that was cut off by a crash is cut away.
func Continue(dir string) (*Store, error) {
	f, err := os.OpenFile(filepath.Join(dir, TrialsFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("continue run: %w", err)
	}
	whole, err := wholeLines(f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("continue run: %w", err)
	}
	return &Store{f: f}, nil
}

// wholeLines is how many bytes of f end with a line's end.
func wholeLines(f *os.File) (int64, error) {
	var at, whole int64
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadSlice('\n')
		at += int64(len(line))
		switch err {
		case nil:
			whole = at
		case io.EOF:
			return whole, nil
		case bufio.ErrBufferFull:
		default:
			return 0, err
		}
	}
}

// Append writes one record as one line, in one write.
func (s *Store) Append(rec Record) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	if _, err := s.f.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("append to %s: %w", s.f.Name(), err)
	}
	return nil
}

// Sync puts all that was appended on disk.
func (s *Store) Sync() error { return s.f.Sync() }

// Close syncs and closes.
func (s *Store) Close() error { return errors.Join(s.f.Sync(), s.f.Close()) }

// Open reads the run at path: a run folder, a trials.jsonl, or a trials.jsonl.gz.
func Open(path string) (*Run, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		plain := filepath.Join(path, TrialsFile)
		if _, err := os.Stat(plain); errors.Is(err, os.ErrNotExist) {
			plain += ".gz"
		}
		if _, err := os.Stat(plain); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("open run: no %s in %s: %w", TrialsFile, path, os.ErrNotExist)
		}
		path = plain
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("open run %s: %w", path, err)
		}
		defer z.Close()
		r = z
	}
	return Read(r, path)
}

// Read reads records from r; name stands in errors as the file's name. A last line that was cut off by a crash is dropped; any
// other line that cannot be read is an error with its number.
func Read(r io.Reader, name string) (*Run, error) {
	br := bufio.NewReaderSize(r, 1<<20)
	run := &Run{}
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return nil, fmt.Errorf("read %s:%d: %w", name, n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var rec Record
			if err := json.Unmarshal(line, &rec); err != nil {
				if last && n > 1 {
					return run, nil
				}
				if n == 1 {
					err = fmt.Errorf("%w: is this the %s of a dyno run?", err, TrialsFile)
				}
				return nil, fmt.Errorf("read %s:%d:%d: %w", name, n, column(err), err)
			}
			if n == 1 {
				if err := checkFirst(rec, name); err != nil {
					return nil, err
				}
			}
			run.Add(rec)
		}
		if last {
			if n == 1 && len(line) == 0 {
				return nil, fmt.Errorf("read %s: empty, no plan was recorded", name)
			}
			return run, nil
		}
	}
}

func checkFirst(rec Record, name string) error {
	if rec.Plan == nil {
		return fmt.Errorf("read %s:1:1: the first line holds no plan: is this a dyno run?", name)
	}
	if rec.Plan.Format != Format {
		return fmt.Errorf("read %s:1:1: format %d; this dyno reads format %d", name, rec.Plan.Format, Format)
	}
	return nil
}

// column is where in its line a JSON error stands, from 1.
func column(err error) int64 {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return syn.Offset
	case errors.As(err, &typ):
		return typ.Offset
	}
	return 1
}

// Write writes run as the lines of a trials.jsonl, in groups of one kind: Read gives it back.
func Write(w io.Writer, run *Run) error {
	all := []Record{{Plan: &run.Plan}, {Host: &run.Host}}
	if run.Calibration != nil {
		all = append(all, Record{Calibration: run.Calibration})
	}
	for i := range run.Contestants {
		all = append(all, Record{Contestant: &run.Contestants[i]})
	}
	for i := range run.Launches {
		all = append(all, Record{Launch: &run.Launches[i]})
	}
	for i := range run.Trials {
		all = append(all, Record{Trial: &run.Trials[i]})
	}
	for i := range run.Idle {
		all = append(all, Record{Idle: &run.Idle[i]})
	}
	for i := range run.Failures {
		all = append(all, Record{Failure: &run.Failures[i]})
	}
	for i := range run.Resumes {
		all = append(all, Record{Resume: &run.Resumes[i]})
	}
	if run.End != nil {
		all = append(all, Record{End: run.End})
	}
	out := json.NewEncoder(w)
	for _, rec := range all {
		if err := out.Encode(rec); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	return nil
}
