package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"dyno/internal/bench"
	"dyno/internal/record"
)

// begin returns the context of the present run.
func (s *session) begin() context.Context {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if s.kept.run == nil {
		s.kept.run, s.kept.end = context.WithCancel(s.ctx)
	}
	return s.kept.run
}

// release stops everything that the session does for a run.
func (s *session) release() {
	s.begin()
	s.kept.mu.Lock()
	s.kept.end()
	s.kept.run = nil
	s.kept.mu.Unlock()
	s.working.Wait()
	for _, l := range s.loads.drain() {
		l.close()
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.clear()
	if s.archive != nil {
		s.archive.Close()
		s.archive = nil
	}
}

// leave ends a run.
func (s *session) leave(*Done) (Done, error) { s.release(); return Done{}, nil }

// generate describes a generator's machine.
func (s *session) generate(*Done) (record.Host, error) { return s.agent.site.describe(), nil }

// cpu returns the agent's CPU time until now.
func (s *session) cpu(*Done) (time.Duration, error) { return s.agent.site.used() }

// Question asks a generator to send requests to a server.
type Question struct {
	To Place `json:"to"`
	bench.Question
}

const longestQuestion = 2 * time.Minute

// askServer sends single requests to a server.
func (s *session) askServer(q *Question) (a bench.Said, err error) {
	to, err := q.To.endpoint()
	if err != nil {
		return a, unfit{err}
	}
	if q.Scenario == nil && slices.Contains([]string{bench.AskVerify, bench.AskInspect, bench.AskAnswers}, q.What) {
		return a, unfit{errors.New("a question about requests without a scenario")}
	}
	ctx, cancel := context.WithTimeout(s.begin(), longestQuestion)
	defer cancel()
	return s.agent.site.asker().Ask(ctx, to, q.Question)
}
