package report

import (
	"fmt"
	"strings"

	"dyno/internal/document"
	"dyno/internal/result"
)

// Part is what one machine, from one start of it to the next, measured of a run.
type Part struct {
	Host        *result.Host
	Dyno        string // version
	First, Last int    // valid epochs, counted from 1; Last is less than First where there is none
}

// parts says which machine measured which epochs of a run that was resumed on another one; "" where
// there was one.
func (v *view) parts() string {
	if len(v.Parts) < 2 {
		return ""
	}
	text := make([]string, len(v.Parts))
	for i, p := range v.Parts {
		epochs := "no epoch"
		switch {
		case p.First == p.Last:
			epochs = fmt.Sprint(p.First)
		case p.First < p.Last:
			epochs = fmt.Sprintf("%d–%d", p.First, p.Last)
		}
		facts := []string{orElse(p.Host.Kernel, "kernel unknown"), Bytes(float64(p.Host.MemoryBytes))}
		if p.Dyno != v.Parts[0].Dyno {
			facts = append(facts, "dyno "+p.Dyno+", whose reference servers may differ")
		}
		text[i] = fmt.Sprintf("%s (%s)", epochs, document.Clean(strings.Join(facts, ", ")))
	}
	return fmt.Sprintf("measured on %d machines of the same kind, or that many starts of one: valid epochs %s; no epoch "+
		"is of two", len(v.Parts), strings.Join(text, ", "))
}
