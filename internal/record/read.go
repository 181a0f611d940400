package record

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

	"dyno/internal/foreign"
)

// Open reads the run at path: a run folder, a trials.jsonl, or a trials.jsonl.gz.
func Open(path string) (*Run, error) {
	open := foreign.Open
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		plain := filepath.Join(path, TrialsFile)
		if _, err := os.Lstat(plain); errors.Is(err, os.ErrNotExist) {
			plain += ".gz"
		}
		if _, err := os.Lstat(plain); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("open run: no %s in %s: %w", TrialsFile, path, os.ErrNotExist)
		}
		path, open = plain, foreign.OpenIn
	}
	f, err := open(path)
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

// Damaged is the error for a record that cannot be read, or that was changed after it was written.
type Damaged struct {
	Name   string // file's name
	Line   int
	Column int64
	Err    error
	Run    *Run // the run from the lines before; its Damage is this error
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("read %s:%d:%d: %v", d.Name, d.Line, d.Column, d.Err)
}

// Unwrap returns the underlying error.
func (d *Damaged) Unwrap() error { return d.Err }

// Read reads records from r; name is the file name for errors. It drops a last line that a crash
// cut off. Any other unreadable line, or an End that does not match the lines before it, gives a
// *Damaged. A first line without a plan is a different error.
func Read(r io.Reader, name string) (*Run, error) {
	br := bufio.NewReaderSize(r, mostLineBytes)
	run, seal := &Run{}, newSealer()
	for n := 1; ; n++ {
		line, err := readLine(br)
		last := errors.Is(err, io.EOF)
		var rec Record
		column := int64(1)
		if err == nil || last {
			column, err = decode(line, &rec)
		}
		if err == nil && (n > mostRecords || seal.bytes > mostRecordBytes) {
			err = fmt.Errorf("the record goes on; at most %d lines and %d MB are read", mostRecords, mostRecordBytes>>20)
		}
		switch {
		case err != nil && n == 1:
			return nil, fmt.Errorf("read %s:1:%d: %w; is this the %s of a dyno run?", name, column, err, TrialsFile)
		case err != nil && last:
			return run, nil
		case n == 1 && last && len(bytes.TrimSpace(line)) == 0:
			return nil, fmt.Errorf("read %s: empty, no plan was recorded", name)
		case n == 1:
			if err = checkFirst(rec, name); err != nil {
				return nil, err
			}
		case err == nil && rec.Plan != nil:
			err = errors.New("there is a second plan here: two records were joined")
		case err == nil && rec.End != nil:
			err = seal.check(rec.End, line)
		case err == nil && rec != (Record{}) && rec.Resume == nil && run.End != nil && run.End.SHA256 != "":
			err = errors.New(
				"there is a record after the end of the run: two records were joined, or lines were inserted")
		}
		if err == nil {
			err = checkBounds(&rec)
		}
		if err != nil {
			d := &Damaged{Name: name, Line: n, Column: column, Err: err, Run: run}
			run.Damage = d
			return nil, d
		}
		run.Add(rec)
		seal.add(line)
		if last {
			return run, nil
		}
	}
}

// readLine returns the next line with its newline, or the beginning of a line that is too long, and
// an error.
func readLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = fmt.Errorf("the line is longer than %d kB", mostLineBytes>>10)
	}
	return line, err
}

// decode reads a line; a blank one holds nothing. On an error it returns the position in the line,
// from 1.
func decode(line []byte, rec *Record) (int64, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return 1, nil
	}
	err := json.Unmarshal(line, rec)
	return column(err), err
}

func checkFirst(rec Record, name string) error {
	if rec.Plan == nil {
		return fmt.Errorf("read %s:1:1: the first line has no plan; is this a dyno run?", name)
	}
	if f := rec.Plan.Format; f != Format {
		return fmt.Errorf("read %s:1:1: format %d; this dyno reads format %d", name, f, Format)
	}
	return nil
}

// column returns a JSON error's position in its line, from 1.
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
