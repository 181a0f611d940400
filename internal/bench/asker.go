package bench

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Asker sends single requests to servers, from where they are loaded: with several machines a
// server may be out of the bench's own reach. Its parameters and results are values.
type Asker interface {
	// Ask may return a part of an answer along with an error.
	Ask(ctx context.Context, to wire.Endpoint, q Question) (Said, error)
}

// Question is a question to a server.
type Question struct {
	What     string             `json:"what"`
	Scenario *scenario.Scenario `json:"scenario,omitempty"`
	Differs  []string           `json:"differs,omitempty"`
	Delay    time.Duration      `json:"delay,omitempty"`
	Records  Records            `json:"records,omitzero"`
	Path     string             `json:"path,omitempty"`
}

// Said is the answer to a Question.
type Said struct {
	Observed *scenario.Observed `json:"observed,omitempty"`
	Answers  []scenario.Answer  `json:"answers,omitempty"`
	Body     []byte             `json:"body,omitempty"`
}

// The questions. Each names the fields of Question that it uses and, after a colon, the field of
// Said that it sets.
const (
	AskVerify  = "verify"  // Scenario, Differs, Delay: Observed
	AskInspect = "inspect" // Scenario: Observed
	AskAnswers = "answers" // Scenario: Answers
	AskTell    = "tell"    // the source to answer with Records
	AskFetch   = "fetch"   // Path of the source: Body
)

// Direct is this machine's Asker.
type Direct struct{}

// InTurn calls Scenario.InTurn. Generators on other machines, which take no samples either, lack
// this method.
func (Direct) InTurn(ctx context.Context, s *scenario.Scenario, to wire.Endpoint, most int,
	within time.Duration) ([]scenario.Answer, error) {
	return s.InTurn(ctx, to, most, within)
}

// Ask implements Asker.
func (Direct) Ask(ctx context.Context, to wire.Endpoint, q Question) (s Said, err error) {
	switch q.What {
	case AskVerify:
		s.Observed, err = scenario.Verify(ctx, q.Scenario, to, q.Differs, q.Delay)
	case AskInspect:
		s.Observed, err = q.Scenario.Inspect(ctx, to)
	case AskAnswers:
		s.Answers, err = q.Scenario.Answers(ctx, to)
	case AskTell:
		err = scenario.Tell(ctx, to, q.Records.Number, q.Records.Seed)
	case AskFetch:
		s.Body, err = scenario.Ask(ctx, to)(q.Path)
	default:
		err = fmt.Errorf("unknown question %q", q.What)
	}
	return s, err
}
