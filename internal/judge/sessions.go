package judge

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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

// group identifies the sessions whose figures can be compared with each other.
func (s *Session) group() string {
	return fmt.Sprintf("%s|%s|%s|%s", s.Relation, s.CPU, s.Question, strings.Join(s.Programs, "|"))
}

// Between returns the standard deviation of a pair's log ratio between sessions on a model of CPU, and how many
// sessions it rests on: 0 if it is given. Each program's log less the mean over the programs in its session,
// less its own mean over the sessions, is a residual; the variance of a pair is twice that of the residuals.
// The sessions' own errors are not taken off, so the value is rather too large.
func (all Sessions) Between(r Relation, cpu string) (b stats.Between, sessions int) {
	b.Bias, _ = all.Bias(r)
	for _, s := range all {
		if s.Relation == r && !s.Long {
			b.SD = max(b.SD, s.Given)
		}
	}
	squares, df, different := 0., 0., map[string]bool{}
	for _, g := range all.Repeated(r, cpu) {
		k, n := float64(len(g[0].Logs)), float64(len(g))
		means := make([]float64, len(g[0].Logs))
		for _, s := range g {
			different[s.Session] = true
			for i, x := range s.residuals() {
				means[i] += x / n
			}
		}
		for _, s := range g {
			for i, x := range s.residuals() {
				squares += (x - means[i]) * (x - means[i])
			}
		}
		df += (k - 1) * (n - 1)
	}
	if len(different) < leastSessions {
		return b, 0
	}
	// Programs of one session share its state: there is no more information than in its sessions.
	b.SD, b.DF = math.Sqrt(2*squares/df), min(df, float64(len(different)-1))
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

// Repeated returns the sessions that measured the same programs by the same question on a model of CPU, with a median
// standard error of at most clearSE, for each question that two sessions or more share.
func (all Sessions) Repeated(r Relation, cpu string) (groups []Sessions) {
	by := map[string]Sessions{}
	for _, s := range all {
		if s.Relation == r && s.CPU == cpu && s.Given == 0 && !s.Long && stats.Median(s.SEs[1:]) <= clearSE {
			by[s.group()] = append(by[s.group()], s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if len(by[name]) > 1 {
			groups = append(groups, by[name])
		}
	}
	return groups
}

// residuals returns the logs less their mean.
func (s *Session) residuals() []float64 {
	all, out := mean(s.Logs), slices.Clone(s.Logs)
	for i := range out {
		out[i] -= all
	}
	return out
}

// Pair returns a pair's log ratios and standard errors in the sessions on a model of CPU, but session.
func (all Sessions) Pair(cpu, session, question, a, b string) (y, se []float64) {
	for _, s := range all {
		i, j := slices.Index(s.Programs, a), slices.Index(s.Programs, b)
		if s.CPU == cpu && s.Session != session && s.Question == question && i >= 0 && j >= 0 && !s.Long {
			y, se = append(y, s.Logs[i]-s.Logs[j]), append(se, max(1e-6, math.Hypot(s.SEs[i], s.SEs[j])))
		}
	}
	return y, se
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

// Program names a contestant and its sources, for Session.Programs; "" if the record does not have the sources.
func Program(c *record.Contestant) string {
	if len(c.Sources) < 12 {
		return ""
	}
	return c.Name + " " + c.Version + " " + c.Sources[:12]
}

// Asked says what was asked at a level, for Session.Question: figures of one question can be compared.
func Asked(p *record.Plan, level int, metric string) string {
	text, _ := json.Marshal(p.Levels[level])
	return fmt.Sprintf("%s %s at %s", p.Scenario, metric, text)
}
