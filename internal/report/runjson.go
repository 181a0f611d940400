package report

import (
	"dyno/internal/judge"
	"dyno/internal/record"
)

// jsonFormat is the version of run.json that JSON writes.
const jsonFormat = 3

// runJSON is run.json; doc/format.md describes its keys. Figures are rows, as in CSV. Elsewhere
// keys end in their unit, and a missing value or an infinite bound is null.
type runJSON struct {
	Format      int              `json:"format"`
	Label       string           `json:"label,omitempty"` // kind of run, if it gives no ranks
	Answer      []string         `json:"answer"`
	Checked     string           `json:"checked,omitempty"`        // the parts of every answer that were checked
	CheckedAlso []string         `json:"checked_limits,omitempty"` // the limits of these checks
	Plan        record.Plan      `json:"plan"`
	Host        record.Host      `json:"host"`
	Parts       []partJSON       `json:"parts,omitempty"` // if several machines measured the run
	End         *record.End      `json:"end"`             // null if the run was cut off
	Summary     any              `json:"summary,omitzero"`
	Rows        []map[string]any `json:"rows"` // the figures, as in CSV
	Levels      []levelJSON      `json:"levels,omitzero"`
	Contestants []contestantJSON `json:"contestants"` // contestants in table order, then the controls
	Pairs       []pairJSON       `json:"pairs,omitzero"`
	AACheck     any              `json:"aa_check,omitzero"`
	Findings    []findingJSON    `json:"findings"`
	Trends      []trendJSON      `json:"trends,omitempty"`
	LongLoads   *longJSON        `json:"long_loads,omitempty"`
	NoRated     string           `json:"no_open_loops,omitempty"` // why none follow the epochs, if they could have
	Claims      any              `json:"claims,omitempty"`
	Conditions  []Condition      `json:"conditions,omitempty"`
}

// partJSON is the part of a run that one machine measured.
type partJSON struct {
	Host  *record.Host `json:"host"`
	Dyno  string       `json:"dyno"`
	First int          `json:"first_valid_epoch"` // first valid epoch, from 1; greater than the last if there is none
	Last  int          `json:"last_valid_epoch"`
}

// decisionJSON says how far a run's verdicts have come.
type decisionJSON struct {
	Epochs  int    `json:"valid_epochs"`
	Interim int    `json:"interim_analysis"` // the last one, from 1; 0: before the first
	Alpha   number `json:"alpha_per_analysis"`
	Margin  number `json:"margin_ratio"`
	trialsJSON
}

type trialsJSON struct {
	Valid     int    `json:"valid_trials"`
	Discarded int    `json:"discarded_trials"`
	Primary   string `json:"primary"`
}

// contestantJSON is a contestant or a control. Its figures are in runJSON.Rows.
type contestantJSON struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Control   bool            `json:"control"`
	Excluded  orNull          `json:"excluded"` // why it has no figures
	Notes     []string        `json:"notes"`
	Failure   *record.Failure `json:"failure"`
	SentAgain int64           `json:"sent_again,omitempty"` // number of requests in all recorded loads

	Starts   startsJSON         `json:"starts"`
	Built    *record.Contestant `json:"built"` // the build as in trials.jsonl; null if it was never built
	Launches []record.Launch    `json:"launches"`
}

type startsJSON struct {
	N       int            `json:"starts"` // number of starts, without pilots
	Classes map[string]int `json:"warm_up_classes"`
}

type levelJSON struct {
	Name   string       `json:"name"`
	At     record.Level `json:"at"`
	Epochs int          `json:"valid_epochs"`
}

// ratioJSON is an estimate without a unit.
type ratioJSON struct {
	Value  number `json:"value_ratio"`
	Lo     number `json:"lo_ratio"`
	Hi     number `json:"hi_ratio"`
	Epochs int    `json:"epochs"`
}

// pairJSON is a over b. It names levels if cells are compared.
type pairJSON struct {
	A      string `json:"a"`
	B      string `json:"b"`
	LevelA string `json:"level_a,omitempty"`
	LevelB string `json:"level_b,omitempty"`
	Metric string `json:"metric"`
	ratioJSON
	SE      number        `json:"se_log"`
	DF      number        `json:"df"`
	P       number        `json:"p"`
	Verdict judge.Verdict `json:"verdict"`
	Better  orNull        `json:"better"`
	Note    orNull        `json:"note"`
	// Elsewhere is absent where no spread between sessions is known, and before the first analysis.
	Elsewhere *elsewhereJSON `json:"elsewhere,omitempty"`
	Long      *pairLongJSON  `json:"long,omitempty"` // absent where not both had long loads
}

// pairLongJSON is the ratio in long loads, and the bias of short loads in logs: as measured, and as allowed for.
type pairLongJSON struct {
	ratioJSON
	Short    number `json:"short_ratio"` // in the trials of the same processes
	Measured number `json:"measured_bias_log"`
	SE       number `json:"measured_se_log"`
	Bias     number `json:"bias_log"`
	Misleads bool   `json:"short_loads_mislead"`
}

// elsewhereJSON is the second verdict on a pair: in other sessions on this model of CPU.
type elsewhereJSON struct {
	ratioJSON
	Verdict  judge.Verdict `json:"verdict"`
	Sessions int           `json:"sessions"` // sessions that it rests on
	// Assumed is the standard deviation between sessions under which ratio and verdict hold; 0: it was measured.
	Assumed number `json:"assumed_sd_log,omitzero"`
	// Bias is the standard deviation of what is not known of the bias of short loads. AssumedBias is that of biases
	// under which it holds; 0: it was measured.
	Bias        number `json:"bias_sd_log"`
	AssumedBias number `json:"assumed_bias_sd_log,omitzero"`
	State       number `json:"state_sd_log,omitzero"` // what the machine's states during the run add
}

type trendJSON struct {
	Contestant string `json:"contestant"`
	Level      int    `json:"level"`
	Metric     string `json:"metric"`
	ratioJSON         // change over an epoch's counted rounds
	P          number `json:"p_adjusted"`
	Moving     bool   `json:"moving"`
}

// longJSON says how long loads checked the pairs that have them (pairJSON.Long), or why none did.
type longJSON struct {
	NotChecked orNull             `json:"not_checked"` // reason why not
	Seconds    float64            `json:"seconds,omitempty"`
	Assumed    map[string]float64 `json:"assumed_error,omitempty"`
}

type findingJSON struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Contestant orNull `json:"contestant"` // null: the whole run
	State      string `json:"state"`
	Text       string `json:"text"`
}
