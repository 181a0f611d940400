package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"dyno/internal/summary"
)

// loadFiles are the files that were asked for; nil where one was not. They are opened before the load,
// which would be lost if they could not be written, and keep what they held until there is something to
// write: an earlier file outlives a load that cannot start.
type loadFiles struct {
	csv, hdr *output
	out      *bufio.Writer // of hdr
	hlog     *summary.Hlog // that goes there; nil until the load has started
}

func (p *loadPlan) open() (*loadFiles, error) {
	f := &loadFiles{}
	var err error
	if p.csv != "" {
		if f.csv, err = openOutput(p.csv); err != nil {
			return nil, fmt.Errorf("--csv: %w", err)
		}
	}
	if p.hdr != "" {
		if f.hdr, err = openOutput(p.hdr); err != nil {
			f.close()
			return nil, fmt.Errorf("--hdr: %w", err)
		}
		f.out = bufio.NewWriter(f.hdr)
	}
	if f.csv != nil && f.hdr != nil && f.csv.is(f.hdr) {
		f.close()
		return nil, usagef("--csv and --hdr: %s is one file; give two", p.hdr)
	}
	return f, nil
}

// log begins the histogram log; nil if there is none.
func (f *loadFiles) log(start time.Time, about string) *summary.Hlog {
	if f.hdr == nil {
		return nil
	}
	f.hlog = summary.NewHlog(f.out, start, about)
	return f.hlog
}

// close may be called again.
func (f *loadFiles) close() error {
	var errs []error
	if f.hdr != nil {
		err := f.out.Flush()
		if f.hlog != nil {
			err = cmp.Or(f.hlog.Err(), err)
		}
		errs = append(errs, err)
	}
	for _, o := range []*output{f.csv, f.hdr} {
		if o != nil {
			errs = append(errs, o.Close())
		}
	}
	f.csv, f.hdr = nil, nil
	return errors.Join(errs...)
}

// output is a file whose earlier content is dropped by the first write.
type output struct {
	*os.File
	own     bool // it was not there before
	written bool
}

func openOutput(name string) (*output, error) {
	_, err := os.Stat(name)
	own := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &output{File: f, own: own}, nil
}

// is reports whether both are one regular file, in which they would overwrite each other.
func (o *output) is(other *output) bool {
	a, err := o.Stat()
	b, err2 := other.Stat()
	return err == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// Write drops what the file held, if it is the first. A terminal or a pipe holds nothing.
func (o *output) Write(b []byte) (int, error) {
	if !o.written {
		o.written = true
		if info, err := o.Stat(); err == nil && info.Mode().IsRegular() {
			if err := o.Truncate(0); err != nil {
				return 0, err
			}
		}
	}
	return o.File.Write(b)
}

// Close removes a file that was not there before and was never written.
func (o *output) Close() error {
	err := o.File.Close()
	if o.own && !o.written {
		err = errors.Join(err, os.Remove(o.Name()))
	}
	return err
}
