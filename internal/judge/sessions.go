package judge

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Relation says how the programs in a comparison relate to each other.
type Relation string

// The relations. A program's revisions, or builds, differ less from session to session.
const (
	Revisions Relation = "revisions of one program"
	Programs  Relation = "different programs"
)

// RelationOf returns the relation of the contestants in a plan.
func RelationOf(p *record.Plan) Relation {
	if p.SameProgram {
		return Revisions
	}
	return Programs
}

// Session is a line of sessions.jsonl: what one session measured of some programs or, if Given is set, a
// standard deviation between sessions that no lines show.
type Session struct {
	Relation Relation `json:"relation"`
	Given    float64  `json:"given_sd,omitempty"`
	// Long says that Logs are of figures in long loads over those in short ones, in one run: biases of short loads.
	Long     bool   `json:"long,omitempty"`
	Source   string `json:"source"`            // the record's name, or where Given is from
	CPU      string `json:"cpu,omitempty"`     // model of the CPUs
	Session  string `json:"session,omitempty"` // the boot's hash, and the day
	Question string `json:"question,omitempty"`
	// Programs are the contestants with the hashes of their sources, sorted. Logs has the log of each
	// one's figure over the first's, SEs the standard errors; both are 0 for the first.
	Programs []string  `json:"programs,omitempty"`
	Logs     []float64 `json:"logs,omitempty"`
	SEs      []float64 `json:"ses,omitempty"`
}

// Sessions are sessions, and the standard deviations between them.
type Sessions []Session

//go:embed sessions.jsonl
var sessionLines []byte

// KnownSessions returns the lines of sessions.jsonl, from which all second verdicts follow.
var KnownSessions = sync.OnceValue(func() Sessions {
	s, err := ReadSessions(bytes.NewReader(sessionLines))
	if err != nil {
		panic(err)
	}
	return s
})

// ReadSessions reads a sessions.jsonl.
func ReadSessions(r io.Reader) (all Sessions, err error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	for {
		var s Session
		switch err := d.Decode(&s); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("sessions.jsonl, line %d: %w", len(all)+1, err)
		case s.Relation != Revisions && s.Relation != Programs || !(s.Given >= 0 && s.Given < 1),
			len(s.Logs) != len(s.Programs) || len(s.SEs) != len(s.Programs), s.Given == 0 && len(s.Programs) < 2:
			return nil, fmt.Errorf("sessions.jsonl, line %d: no session: %+v", len(all)+1, s)
		}
		all = append(all, s)
	}
}

// leastSessions is the number of sessions from which they are believed: those of one pair replace the standard
// deviation for the relation, and those on one model of CPU replace the given one.
const leastSessions = 5

// clearSE is the largest median standard error of log ratios that shows how sessions differ: Between does not take
// errors off.
const clearSE = 0.03

// Between returns the standard deviation of a pair's log ratio between sessions on a model of CPU, and how many
// sessions it rests on: 0 if it is given. The sessions' own errors are not taken off, so the value is rather too large.
func (all Sessions) Between(r Relation, cpu string) (b stats.Between, sessions int) {
	b.Bias, _ = all.Bias(r)
	for _, s := range all {
		if s.Relation == r && !s.Long {
			b.SD = max(b.SD, s.Given)
		}
	}
	squares, n, different := 0., 0., map[string]bool{}
	for _, p := range all.Repeated(r, cpu) {
		for i, x := range p.Logs {
			squares += math.Pow(x-stats.Mean(p.Logs), 2)
			different[p.Sessions[i]] = true
		}
		n += float64(len(p.Logs) - 1)
	}
	if len(different) < leastSessions {
		return b, 0
	}
	// Pairs of one session share its state: there is no more information than in its sessions.
	b.SD, b.DF = math.Sqrt(squares/n), min(n, float64(len(different)-1))
	return b, len(different)
}

// Bias returns the standard deviation of a pair's bias in short loads, about 0, over the programs on all models of
// CPU, and how many programs it rests on: 0 if it is given. It is the upper 80 % limit of what long loads show, less
// their own errors.
func (all Sessions) Bias(r Relation) (sd float64, programs int) {
	squares, errors, df, different := 0., 0., 0., map[string]bool{}
	for _, s := range all {
		if s.Relation != r || !s.Long {
			continue
		}
		sd = max(sd, s.Given)
		for i, x := range s.residuals() {
			squares, errors, df = squares+x*x, errors+s.SEs[i]*s.SEs[i], df+1-1/float64(len(s.Logs))
			different[s.Programs[i]] = true
		}
	}
	if len(different) < leastSessions {
		return sd, 0
	}
	b := stats.Between{SD: math.Sqrt(2 * squares / df), DF: min(df, float64(len(different)-1))}
	return math.Sqrt(max(0, b.Upper()*b.Upper()-errors/df)), len(different)
}

// Repeated is what sessions on one model of CPU measured of a pair of programs by one question.
type Repeated struct {
	Question, A, B string
	Sessions       []string
	Logs, SEs      []float64 // log of A over B in each, and its standard error
}

// Repeated returns the pairs that two sessions or more measured on a model of CPU, of lines with a median standard
// error of at most clearSE.
func (all Sessions) Repeated(r Relation, cpu string) (pairs []Repeated) {
	clear := slices.DeleteFunc(slices.Clone(all), func(s Session) bool {
		return s.Relation != r || s.CPU != cpu || s.Given > 0 || s.Long || stats.Median(s.SEs[1:]) > clearSE
	})
	seen := map[[3]string]bool{}
	for _, s := range clear {
		for i, a := range s.Programs {
			for _, b := range s.Programs[i+1:] {
				if key := [3]string{s.Question, a, b}; !seen[key] {
					seen[key] = true
					p := Repeated{Question: s.Question, A: a, B: b}
					if p.Sessions, p.Logs, p.SEs = clear.Pair(cpu, "", s.Question, a, b); len(p.Logs) > 1 {
						pairs = append(pairs, p)
					}
				}
			}
		}
	}
	return pairs
}

// residuals returns the logs less their mean.
func (s *Session) residuals() []float64 {
	all, out := stats.Mean(s.Logs), slices.Clone(s.Logs)
	for i := range out {
		out[i] -= all
	}
	return out
}

// Pair returns a pair's log ratio and its standard error in each session on a model of CPU, but one. The runs of a
// session are one replicate: their mean.
func (all Sessions) Pair(cpu, but, question, a, b string) (sessions []string, y, se []float64) {
	var runs []float64
	for _, s := range all {
		i, j := slices.Index(s.Programs, a), slices.Index(s.Programs, b)
		if s.CPU != cpu || s.Session == but || s.Question != question || i < 0 || j < 0 || s.Long {
			continue
		}
		at := slices.Index(sessions, s.Session)
		if at < 0 {
			at, sessions = len(sessions), append(sessions, s.Session)
			y, se, runs = append(y, 0), append(se, 0), append(runs, 0)
		}
		y[at], se[at], runs[at] = y[at]+s.Logs[i]-s.Logs[j], math.Hypot(se[at], math.Hypot(s.SEs[i], s.SEs[j])), runs[at]+1
	}
	for at, n := range runs {
		y[at], se[at] = y[at]/n, max(1e-6, se[at]/n)
	}
	return sessions, y, se
}

// On returns a pair's ratio a over b on a model of CPU, the mean over its sessions, with an interval for the pairs of k
// contestants in other sessions there. state is the standard deviation between the machine's states, which sessions do
// not tell. N is the number of sessions; 0: none measured both.
func (all Sessions) On(cpu string, r Relation, question, a, b string, k int, state float64) Estimate {
	_, logs, ses := all.Pair(cpu, "", question, a, b)
	if len(logs) == 0 {
		return Estimate{}
	}
	spread, _ := all.Between(r, cpu)
	spread.State = state
	se := 0.
	for _, x := range ses {
		se = math.Hypot(se, x/float64(len(ses)))
	}
	own, ratio := stats.RangeQuantile(k, sure)/math.Sqrt2*se, math.Exp(stats.Mean(logs))
	return Estimate{Value: ratio, Lo: ratio, Hi: ratio, N: len(logs)}.Wider(math.Hypot(own, spread.Reach(k, sure)))
}

// Models returns the models of CPU of the sessions, sorted.
func (all Sessions) Models() (models []string) {
	for _, s := range all {
		if s.CPU != "" && !s.Long {
			models = append(models, s.CPU)
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// SessionOf identifies a run's session, for Session.Session: the hash of its machine's boot, and the day. Older records
// have the boot's id itself.
func SessionOf(run *record.Run) string {
	id := run.Host.BootID
	if strings.Contains(id, "-") {
		sum := sha256.Sum256([]byte("dyno boot " + id))
		id = hex.EncodeToString(sum[:8])
	}
	return id + " " + time.Unix(0, run.Plan.Origin.StartedUnixNS).UTC().Format(time.DateOnly)
}

// Program names a contestant and its sources, for Session.Programs; "" if the record does not have them.
func Program(c *record.Contestant) string {
	if c == nil || len(c.Sources) < 12 {
		return ""
	}
	return c.Name + " " + c.Version + " " + c.Sources[:12]
}

// Asked says what was asked at a level, for Session.Question: figures of one question can be compared.
func Asked(p *record.Plan, level int, metric string) string {
	text, _ := json.Marshal(p.Levels[level])
	return fmt.Sprintf("%s %s at %s", p.Scenario, metric, text)
}
