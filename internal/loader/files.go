package loader

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"time"

	"dyno/internal/conf"
	"dyno/internal/summary"
)

// Files are the output files of a load; nil if none was requested. They are opened before the load,
// because an error after it would lose the results. They keep their old content until the first
// write, so that a load that cannot start does not destroy them.
type Files struct {
	csv, hdr *output
	out      *bufio.Writer // of hdr
	hlog     *summary.Hlog // written to out; nil until the load starts
}

// Open opens the files of the request.
func (r *Request) Open() (*Files, error) {
	f := &Files{}
	for _, o := range []struct {
		flag, name string
		to         **output
	}{{"--csv", r.CSV, &f.csv}, {"--hdr", r.HDR, &f.hdr}} {
		var err error
		switch {
		case o.name == "":
		case o.name == "-":
			err = errors.New("open -: standard output has the summary; pass a file")
		default:
			*o.to, err = openOutput(o.name)
		}
		if err != nil {
			f.Close()
			return nil, conf.Usagef("%s: %w", o.flag, err)
		}
	}
	if f.hdr != nil {
		f.out = bufio.NewWriter(f.hdr)
	}
	if f.csv != nil && f.hdr != nil && f.csv.is(f.hdr) {
		f.Close()
		return nil, conf.Usagef("--csv and --hdr name the same file, %s; pass different files", r.HDR)
	}
	return f, nil
}

// log starts the histogram log and returns it; nil if there is none.
func (f *Files) log(start time.Time, about string) *summary.Hlog {
	if f.hdr == nil {
		return nil
	}
	f.hlog = summary.NewHlog(f.out, start, about)
	return f.hlog
}

// Write writes the output of the end of a load.
func (f *Files) Write(s *summary.Summary) error {
	if f.csv == nil {
		return nil
	}
	return summary.CSV(f.csv, s)
}

// Close ends the files. It may be called again.
func (f *Files) Close() error {
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

// output is a file that keeps its old content until the first write.
type output struct {
	*os.File
	own     bool // Open created it
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

// is reports whether both are the same regular file, so that they would overwrite each other.
func (o *output) is(other *output) bool {
	a, err := o.Stat()
	b, err2 := other.Stat()
	return err == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// Write truncates a regular file before the first write.
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

// Close removes the file if Open created it and nothing was written.
func (o *output) Close() error {
	err := o.File.Close()
	if o.own && !o.written {
		err = errors.Join(err, os.Remove(o.Name()))
	}
	return err
}
