// Package doctor measures whether this machine is fit for measurements (Calibrate: its settings, the
// punctuality, speed and accuracy of the load engine, the present noise), and says from a calibration what the
// machine can and cannot measure, and how to improve it. Every server that Calibrate starts is a child process,
// pinned as in a run, and gone when it returns.
package doctor

import (
	"io"

	"dyno/internal/document"
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
	for _, group := range []struct {
		name     string
		findings func(*record.Calibration) []finding
	}{
		{"Machine", machineFindings}, {"System", kernelFindings}, {"Limits", limitFindings},
		{"Generator", generatorFindings}, {"Truth", serverFindings}, {"Noise now", noiseFindings},
	} {
		for _, f := range group.findings(c) {
			f.Group = group.name
			d.findings = append(d.findings, f)
		}
	}
	d.expected = expectations(c.Noise)
	d.answer = canDecide(c, d.expected)
	return d
}

// JSON writes the calibration, the findings, and the differences to expect.
func (d *Diagnosis) JSON(w io.Writer) error {
	return document.JSON(w, struct {
		Calibration *record.Calibration `json:"calibration"`
		Findings    []finding           `json:"findings"`
		Expected    []expectation       `json:"expected"`
		Answer      string              `json:"answer"`
	}{d.calibration, d.findings, d.expected, d.answer})
}
