package loader

import (
	"errors"
	"io/fs"
	"os"

	"dyno/internal/conf"
	"dyno/internal/report"
)

// Files are a load's output files: the CSV file, if requested. It is opened before the load, because an error
// afterwards would lose the results. It keeps its old content until the first write, so that a load that
// cannot start does not destroy the content.
type Files struct{ csv *output }

// Open opens the request's output files.
func (r *Request) Open() (*Files, error) {
	f := &Files{}
	var err error
	switch r.CSV {
	case "":
	case "-":
		err = errors.New("open -: standard output has the summary; pass a file")
	default:
		f.csv, err = openOutput(r.CSV)
	}
	if err != nil {
		return nil, conf.Usagef("--csv: %w", err)
	}
	return f, nil
}

// Write writes the output at the end of a load.
func (f *Files) Write(s *report.Summary) error {
	if f.csv == nil {
		return nil
	}
	return report.SummaryCSV(f.csv, s)
}

// Close closes the files. It may be called again.
func (f *Files) Close() error {
	if f.csv == nil {
		return nil
	}
	err := f.csv.Close()
	f.csv = nil
	return err
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
