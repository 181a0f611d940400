package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"dyno/internal/foreign"
)

// TrialsFile is the name of the file in a run folder that holds all measurements.
const TrialsFile = "trials.jsonl"

// Store appends records to trials.jsonl and never rewrites it. It is not safe for concurrent use.
//
// The file always holds whole lines: after a failed write the partial line is cut away, and nothing
// more is appended.
type Store struct {
	f      storeFile
	sealer          // counts and hashes the lines in f
	stop   *Stopped // why nothing more is appended; nil: nothing failed
}

// storeFile is the part of an *os.File that a Store needs.
type storeFile interface {
	io.WriteCloser
	Name() string
	Sync() error
	Truncate(size int64) error
}

// Stopped is the error for a record that could not be stored. The store accepts no further records.
type Stopped struct {
	File    string
	Records int   // number of complete records in the file
	Err     error // the write error
	Cut     error // why the partial line could not be cut away
}

func (s *Stopped) Error() string {
	text := fmt.Sprintf(
		"append to %s: %v; recording has stopped, and the %d records before are complete", s.File, s.Err,
		s.Records)
	if s.Cut != nil {
		text += fmt.Sprintf("; half a line follows them, which could not be removed (%v)", s.Cut)
	}
	return text
}

// Unwrap returns the write error.
func (s *Stopped) Unwrap() error { return s.Err }

// Create makes the run folder dir with an empty trials.jsonl. It fails if the file exists.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	f, err := foreign.Create(filepath.Join(dir, TrialsFile))
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	return &Store{f: f, sealer: newSealer()}, nil
}

// Continue opens the trials.jsonl in run folder dir for appending. If there is only a
// trials.jsonl.gz it is unpacked first. A last line that a crash cut off is removed; one that lacks
// only its newline, which Read accepts, gets it.
func Continue(dir string) (*Store, error) {
	if err := unpack(dir); err != nil {
		return nil, fmt.Errorf("continue run: %w", err)
	}
	f, err := foreign.Append(filepath.Join(dir, TrialsFile))
	if err != nil {
		return nil, fmt.Errorf("continue run: %w", err)
	}
	s := &Store{f: f, sealer: newSealer()}
	rest, err := s.scan(f)
	if err == nil {
		err = s.settle(rest)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("continue run: %w", err)
	}
	return s, nil
}

// unpack writes dir's trials.jsonl from its compressed copy, unless it exists.
func unpack(dir string) error {
	file := filepath.Join(dir, TrialsFile)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from, err := foreign.OpenIn(file + ".gz")
	if err != nil {
		return fmt.Errorf("neither %s nor its compressed copy: %w", file, err)
	}
	defer from.Close()
	z, err := gzip.NewReader(from)
	if err == nil {
		err = foreign.Replace(dir, TrialsFile, 0o600, func(w io.Writer) error {
			n, err := io.Copy(w, io.LimitReader(z, mostRecordBytes+1))
			if n > mostRecordBytes {
				err = fmt.Errorf("it holds more than %d MB", mostRecordBytes>>20)
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", from.Name(), err)
	}
	return nil
}

// settle completes rest, a last line without a newline. If rest is not a record, settle removes it.
func (s *Store) settle(rest []byte) error {
	if !json.Valid(rest) {
		return s.f.Truncate(s.bytes)
	}
	if _, err := s.f.Write([]byte{'\n'}); err != nil {
		return err
	}
	s.add(append(slices.Clip(rest), '\n'))
	return nil
}

// scan processes r's whole lines and returns the rest.
func (s *Store) scan(r io.Reader) (rest []byte, err error) {
	for br := bufio.NewReaderSize(r, mostLineBytes); ; {
		line, err := readLine(br)
		switch {
		case errors.Is(err, io.EOF):
			return line, nil
		case err != nil:
			return nil, err
		}
		s.add(line)
	}
}

// Append writes one record as one line, in one write. It completes an End with the count and the
// digest of the lines before it. After a failed write, this and all later calls return a *Stopped.
func (s *Store) Append(rec Record) error {
	if s.stop != nil {
		return s.stop
	}
	line, err := s.line(rec)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	return s.write(line)
}

// write appends a whole line, or nothing.
func (s *Store) write(line []byte) error {
	if _, err := s.f.Write(line); err != nil {
		s.stop = &Stopped{File: s.f.Name(), Records: s.records, Err: err, Cut: s.f.Truncate(s.bytes)}
		return s.stop
	}
	s.add(line)
	return nil
}

// Sync writes everything that was appended to disk.
func (s *Store) Sync() error {
	err := s.f.Sync()
	if err != nil && s.stop == nil { // after a failed sync a later one does not report the loss (fsync(2))
		s.stop = &Stopped{File: s.f.Name(), Records: s.records, Err: err}
	}
	return err
}

// Close calls Sync and closes the file.
func (s *Store) Close() error { return errors.Join(s.f.Sync(), s.f.Close()) }

// sealer counts and hashes lines for the End record that follows them.
type sealer struct {
	records int
	bytes   int64
	sum     hash.Hash
}

func newSealer() sealer { return sealer{sum: sha256.New()} }

// add counts and hashes a line.
func (s *sealer) add(line []byte) {
	if len(bytes.TrimSpace(line)) > 0 {
		s.records++
	}
	s.bytes += int64(len(line))
	s.sum.Write(line)
}

// digestKey begins the digest in an End; it is the line's last key.
const digestKey = `,"sha256":"`

// line encodes rec as a line. It completes an End with the number of lines before, and the digest
// of those lines and its own up to digestKey.
func (s *sealer) line(rec Record) ([]byte, error) {
	if rec.End != nil {
		rec.End.Records, rec.End.SHA256 = s.records, ""
	}
	b, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	b = foreign.Hide(b)
	if rec.End != nil {
		head := bytes.TrimSuffix(b, []byte("}}"))
		rec.End.SHA256 = s.digest(head)
		b = append(head, digestKey+rec.End.SHA256+`"}}`...)
	}
	return append(b, '\n'), nil
}

// digest returns the hex SHA-256 over the lines so far and head.
func (s *sealer) digest(head []byte) string {
	before, err := s.sum.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 can be cloned
	}
	before.Write(head)
	return hex.EncodeToString(before.Sum(nil))
}

// check returns an error if an End does not match the lines before it and its own line in the file.
// It returns nil for an End without a digest, from an older dyno.
func (s *sealer) check(end *End, line []byte) error {
	at := bytes.LastIndex(line, []byte(digestKey))
	switch {
	case end.SHA256 == "" && end.Records == 0:
		return nil
	case end.Records != s.records:
		return fmt.Errorf(
			"there are %d records before the end of the run, which counts %d: lines were removed or inserted",
			s.records, end.Records)
	case at < 0 || s.digest(line[:at]) != end.SHA256:
		return errors.New(
			"the checksum at the end of the run does not match the record, which was changed after it was written")
	}
	return nil
}

// Write writes run as the lines of a trials.jsonl, in groups of one kind: Read gives it back. Its
// End is given the count and the digest of the lines written.
func Write(w io.Writer, run *Run) error {
	seal := newSealer()
	for rec := range run.records() {
		line, err := seal.line(rec)
		if err == nil {
			_, err = w.Write(line)
		}
		if err != nil {
			return fmt.Errorf("write run: %w", err)
		}
		seal.add(line)
	}
	return nil
}
