package bench

import (
	"time"

	"dyno/internal/record"
)

// unloaded freezes fresh processes once all are started and verified, and reads each one before its
// first load. Only the probe's and the verifier's requests have reached it, and their connections
// are closed.
func (b *Bench) unloaded(all []*started) {
	b.Generator.Rest(settle)
	for _, s := range all {
		if s.err != nil {
			continue
		}
		s.idle = &record.Idle{Contestant: s.Contestant, Epoch: s.Epoch, StartedUnixNS: time.Now().UnixNano()}
		used, unread := s.server.Read(ReadCPU)
		read(s.server, ReadTotals, &s.idle.Server)
		if s.err = s.server.Freeze(); s.err != nil {
			continue
		}
		read(s.server, ReadUsage, &s.idle.Server)
		s.idle.Server.CPUNS = reading{used.CPU, unread == nil}.ns()
		s.idle.EndedUnixNS = time.Now().UnixNano()
	}
}
