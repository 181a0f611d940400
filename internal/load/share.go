package load

import (
	"errors"
	"fmt"

	"dyno/internal/scenario"
)

// Share says which part of a load one of several generators sends. Each gets the whole load (Job and
// Window) and its Share, and finds its part without asking the others:
//
//   - connection i belongs to generator i mod Of, with all that is drawn for it: its requests' inputs,
//     its turn in Window.Spread;
//   - arrival i of an evenly spaced Schedule belongs to generator i mod Of, and a random arrival to the
//     generator that the seed draws for it;
//   - request i from a limited number in a closed loop belongs to generator i mod Of.
//
// All shares together are thus the load that one machine would send, whatever Of and the number of
// event loops. The zero value is the whole load.
type Share struct {
	Index int // index of the share, from 0
	Of    int // generators; 0 and 1: the whole load
}

// String returns the share as people count: "2/4" for Index 1.
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.Index+1, s.of()) }

// Check returns an error if there is no such share.
func (s Share) Check() error {
	if s.Index < 0 || s.Index >= s.of() || s.Of < 0 {
		return fmt.Errorf("no share with index %d of %d", s.Index, s.Of)
	}
	return nil
}

// Whole reports whether s is a whole load.
func (s Share) Whole() bool { return s.of() == 1 }

// Part returns how many of n things, numbered from 0, belong to the share.
func (s Share) Part(n int64) int64 {
	of, i := int64(s.of()), int64(s.Index)
	return max(0, (n-i+of-1)/of)
}

// member returns the number in the whole load of the share's i-th thing.
func (s Share) member(i int) int { return s.Index + i*s.of() }

func (s Share) of() int { return max(s.Of, 1) }

// take reduces j to its share.
func (j *Job) take() error {
	err := j.Share.Check()
	if j.whole = j.Connections; err == nil {
		j.Connections = int(j.Share.Part(int64(j.whole)))
	}
	if err == nil && j.Connections == 0 {
		err = fmt.Errorf("%d connections for %d generators: each needs one or more", j.whole, j.Share.of())
	}
	return err
}

// Own returns the part of w that belongs to j's Share, or an error if nothing would end it.
func (j *Job) Own(w Window) (Window, error) {
	if err := w.Check(); err != nil {
		return w, err
	}
	if j.Share.Whole() {
		return w, nil
	}
	if w.Schedule != nil {
		s := *w.Schedule
		s.share = j.Share
		w.Schedule = &s
	} else if w.Requests > 0 {
		if w.Requests = j.Share.Part(w.Requests); w.Requests == 0 {
			return w, errors.New("run window: fewer requests than generators")
		}
	}
	return w, nil
}

// all returns the whole load's number of connections.
func (j *Job) all() int {
	if j.whole > 0 {
		return j.whole
	}
	return j.Connections
}

// Source returns the source of requests for connection i in the share.
func (j *Job) Source(mix *scenario.Mix, i int) *scenario.Source {
	return mix.NewSource(j.ConnectionSeed(i), j.Share.member(i), j.all())
}

// Turn returns when connection i in the share begins in w, in ns from the window's start.
func (j *Job) Turn(w *Window, i int) int64 {
	return int64(w.Spread) * int64(j.Share.member(i)) / int64(j.all())
}

// ConnectionSeed derives the seed for connection i in the share by SplitMix64 (Steele, Lea, Flood,
// OOPSLA 2014), so that neighbours' seeds are unrelated: the same job sends
// the same bytes.
func (j *Job) ConnectionSeed(i int) uint64 {
	z := j.Seed + (uint64(j.Share.member(i))+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
