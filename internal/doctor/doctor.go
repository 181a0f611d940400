// Package doctor measures whether this machine is fit for measurements (Calibrate: its settings, the clock, the
// punctuality, speed and accuracy of the load engine, the present noise), and says from a calibration what the
// machine can and cannot measure, and how to improve it. Every server that Calibrate starts is a child process,
// pinned as in a run, and gone when it returns.
package doctor

import (
	"encoding/json"
	"io"

	"dyno/internal/record"
)

// The states of a finding.
const (
	stateOK   = "ok"
	stateNote = "note" // a limit, or a fact that results depend on
	stateWarn = "warn" // a problem that makes results worse
	stateBad  = "bad"  // a problem that makes results unreliable
)

// finding is one fact about the machine, with its meaning.
type finding struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	State  string `json:"state"`
	Value  string `json:"value"`
	Means  string `json:"means,omitempty"`
	Change string `json:"change,omitempty"`
}

// Diagnosis is a calibration with its findings.
type Diagnosis struct {
	calibration *record.Calibration
	findings    []finding
	expected    []expectation
	answer      string
}

// Diagnose judges a calibration, which may be incomplete.
func Diagnose(c *record.Calibration) *Diagnosis {
	d := &Diagnosis{calibration: c}
	for _, findings := range []func(*record.Calibration) []finding{
		machineFindings, kernelFindings, limitFindings, generatorFindings, serverFindings, noiseFindings,
	} {
		d.findings = append(d.findings, findings(c)...)
	}
	d.expected = expectations(c.Noise)
	d.answer = canDecide(c, d.expected)
	return d
}

// JSON writes the calibration, the findings, and the differences to expect.
func (d *Diagnosis) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Calibration *record.Calibration `json:"calibration"`
		Findings    []finding           `json:"findings"`
		Expected    []expectation       `json:"expected"`
		Answer      string              `json:"answer"`
	}{d.calibration, d.findings, d.expected, d.answer})
}
