//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"dyno/internal/machine"
)

// results is the file from which the page is made: the last result for each row, all from machines of one
// kind.
type results struct {
	Machine hostFacts `json:"machine"`
	Rows    []result  `json:"rows"`

	Begun []*progress `json:"begun,omitempty"` // rows whose measurement is unfinished
}

type hostFacts struct {
	OS         string `json:"os"`
	Kernel     string `json:"kernel"`
	CPU        string `json:"cpu"`
	CPUs       int    `json:"cpus"`
	Hypervisor string `json:"hypervisor,omitempty"`
	Go         string `json:"go"`
}

// like reports whether results from m and n are comparable. The kernel's build may differ, as between two
// parts of a run.
func (m hostFacts) like(n hostFacts) bool {
	m.Kernel, n.Kernel = machine.KernelSeries(m.Kernel), machine.KernelSeries(n.Kernel)
	return m == n
}

// result is one row's result in the row's base unit: a ratio, ns, bytes or a count.
type result struct {
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Kernel string    `json:"kernel,omitempty"` // if different from Machine.Kernel
	Commit string    `json:"commit"`           // dyno's commit
	Peer   string    `json:"peer,omitempty"`   // peer and version
	Value  float64   `json:"value"`
	Lo     *float64  `json:"lo"` // null: unbounded
	Hi     *float64  `json:"hi"`
	Valid  int       `json:"valid"` // rounds, or seconds
	All    int       `json:"all"`
	Detail string    `json:"detail,omitempty"`

	// ServerBusy is the busy share of the server's CPU in the middle of a window, in a race: the median under
	// the generator that loaded the server more.
	ServerBusy float64 `json:"server_busy,omitempty"`

	Reason string `json:"reason,omitempty"` // why there is no value

	noise bool // the reason is background load
}

func (r *result) set(e estimate) {
	if math.IsNaN(e.value) || math.IsInf(e.value, 0) {
		r.Reason = fmt.Sprintf("the value is %v", e.value)
		return
	}
	r.Value, r.Valid, r.All, r.Detail, r.ServerBusy = e.value, e.valid, e.all, e.detail, e.serverBusy
	if !math.IsInf(e.lo, 0) {
		r.Lo = &e.lo
	}
	if !math.IsInf(e.hi, 0) {
		r.Hi = &e.hi
	}
}

func thisMachine() hostFacts {
	h := machine.Describe()
	return hostFacts{OS: h.OS, Kernel: h.Kernel, CPU: h.CPU, CPUs: h.CPUs, Hypervisor: h.Hypervisor, Go: runtime.Version()}
}

func openResults(file string) (*results, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &results{}, nil
	}
	if err != nil {
		return nil, err
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return &r, nil
}

func (r *results) get(name string) *result {
	for i := range r.Rows {
		if r.Rows[i].Name == name {
			return &r.Rows[i]
		}
	}
	return nil
}

// begun returns the progress of a row's measurement. It is empty at first, and when the measured programs
// have changed.
func (r *results) begun(name, of string) *progress {
	for _, p := range r.Begun {
		if p.Name == name {
			if p.Of != of {
				*p = progress{Name: name, Of: of}
			}
			return p
		}
	}
	p := &progress{Name: name, Of: of}
	r.Begun = append(r.Begun, p)
	return p
}

// ended drops the progress of a row that has its value.
func (r *results) ended(name string) {
	r.Begun = slices.DeleteFunc(r.Begun, func(p *progress) bool { return p.Name == name })
}

// put keeps a result. A result without a value because of background load does not replace an earlier value.
func (r *results) put(one result) {
	if old := r.get(one.Name); old != nil {
		if one.noise && old.Reason == "" {
			return
		}
		*old = one
		return
	}
	r.Rows = append(r.Rows, one)
}

func (r *results) write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
