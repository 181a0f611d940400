package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/summary"
)

// checkShare returns an error for a share that cannot be sent.
func (r *Request) checkShare() error {
	if r.Share.Whole() {
		return nil
	}
	switch n := int64(r.Share.Of); {
	case r.Find != nil:
		return conf.Usagef("--find decides by what one generator sees; omit --share")
	case r.Connections < n:
		return conf.Usagef("--share %s: each generator needs a connection, and -c is %d", r.Share, r.Connections)
	case r.Requests > 0 && r.Requests < n:
		return conf.Usagef("--share %s: each generator needs a request, and -n is %d", r.Share, r.Requests)
	}
	return nil
}

// await waits until StartAt.
func (p *Plan) await(ctx context.Context) error {
	if p.StartAt.IsZero() {
		return nil
	}
	left := time.Until(p.StartAt)
	if left < 0 {
		return fmt.Errorf("--start-at was %v ago when the connections were open and warmed up; choose a later time",
			-left.Round(time.Millisecond))
	}
	select {
	case <-time.After(left):
		return nil
	case <-ctx.Done():
		return errors.New("interrupted before --start-at")
	}
}

// measure carries out the window, and keeps what MergeParts needs of a share.
func (p *Plan) measure(ctx context.Context, session load.Session, s *summary.Summary, start time.Time) (err error) {
	if p.Share.Whole() {
		s.Load, err = session.Run(ctx, p.window)
	} else if p.part, err = load.Measure(ctx, session, p.Share, p.window); p.part != nil {
		s.Load, s.Share = p.part.Load(), p.Share.String()
		s.Did = "share " + s.Share + " of " + p.Did
	}
	s.Wall = time.Since(start)
	return err
}

// PartFile is what one generator of a load wrote: dyno load --share --json.
type PartFile struct {
	Name     string // of the file
	own      *Outcome
	share    string
	warnings []summary.Warning
}

// ReadPart reads the JSON of a generator.
func ReadPart(name string, text []byte) (*PartFile, error) {
	var j struct {
		Share    string
		Warnings []summary.Warning
		Part     *Outcome
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("read %s: %w; pass what dyno load --share … --json printed", name, err)
	}
	if j.Part == nil || j.Part.Part == nil {
		return nil, fmt.Errorf("read %s: it holds no part of a load; pass what dyno load --share … --json printed", name)
	}
	return &PartFile{name, j.Part, j.Share, j.Warnings}, nil
}

// Failed reports whether the merged load must not count as a success.
func (f *PartFile) Failed(s *summary.Summary) bool {
	return (&Request{MaxErrors: f.own.MaxErrors, Strict: f.own.Strict, SLO: s.Objectives}).Failed(s)
}

// MergeFiles returns the summary of the load whose parts these are, all of them. Of its seconds there
// are counts alone, because their percentiles cannot be merged.
func MergeFiles(files []*PartFile, command string) (*summary.Summary, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b *PartFile) int {
		return a.own.Part.Share.Index - b.own.Part.Share.Index
	})
	var outcomes []*Outcome
	var names []string
	for _, f := range files {
		if a, b := files[0].own.Summary.Dyno, f.own.Summary.Dyno; a != b {
			return nil, fmt.Errorf("%s and %s are of different versions of dyno: %q and %q", files[0].Name, f.Name, a, b)
		}
		outcomes, names = append(outcomes, f.own), append(names, "generator "+f.share)
	}
	s, err := Merge(outcomes, names)
	if err != nil {
		return nil, err
	}
	s.Command = command
	least, most := files[0].own.BeganUnixNS, files[0].own.BeganUnixNS
	for _, f := range files {
		least, most = min(least, f.own.BeganUnixNS), max(most, f.own.BeganUnixNS)
	}
	for i, f := range files {
		s.Generators[i].ByOwnClock, s.Generators[i].BeganNS = true, f.own.BeganUnixNS-least
		for _, w := range f.warnings {
			if w.ID == summary.Ended {
				s.Noted = append(s.Noted, summary.Warning{ID: w.ID, Text: names[i] + ": " + w.Text})
			}
		}
	}
	if apart := time.Duration(most - least); apart > max(s.Wall/100, 10*time.Millisecond) {
		s.Noted = append(s.Noted, summary.Warning{ID: summary.Apart, Text: fmt.Sprintf("the generators started %v apart, "+
			"by their own clocks, so that the load was whole for a part of the time. Pass the same --start-at to all",
			apart.Round(time.Millisecond))})
	}
	return s, nil
}
