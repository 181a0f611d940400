package loader

import (
	"errors"
	"io/fs"
	"os"

	"dyno/internal/conf"
	"dyno/internal/report"
)

// Files are a load's output files: the CSV file, if requested. It is opened before the load, because an error
// afterwards would lose the results. It keeps its old content until Write, so that a load that cannot start does
// not destroy the content.
type Files struct {
	csv   *os.File
	fresh bool // Open made the file, and nothing is written
}

// Open opens the request's output files.
func (r *Request) Open() (*Files, error) {
	f := &Files{}
	var err error
	switch r.CSV {
	case "":
	case "-":
		err = errors.New("open -: standard output has the summary; pass a file")
	default:
		_, absent := os.Stat(r.CSV)
		f.fresh = errors.Is(absent, fs.ErrNotExist)
		f.csv, err = os.OpenFile(r.CSV, os.O_WRONLY|os.O_CREATE, 0o666)
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
	f.fresh = false
	if info, err := f.csv.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.csv.Truncate(0); err != nil {
			return err
		}
	}
	return report.SummaryCSV(f.csv, s)
}

// Close closes the files, and removes one that Open made for nothing. It may be called again.
func (f *Files) Close() error {
	if f.csv == nil {
		return nil
	}
	err := f.csv.Close()
	if f.fresh {
		err = errors.Join(err, os.Remove(f.csv.Name()))
	}
	f.csv = nil
	return err
}
