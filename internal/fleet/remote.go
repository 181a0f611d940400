package fleet

import (
	"dyno/internal/bench"
	"dyno/internal/wire"
)

// remote is a server on another machine.
type remote struct {
	host    *Host
	machine string
	number  int
	at      map[wire.HTTP]wire.Endpoint // endpoint for each launched form of HTTP
}

// Read implements bench.Server by reading on the server's machine.
func (s *remote) Read(what bench.What) (bench.Reading, error) {
	r, err := tell(s.host.work, s.host, s.machine, toServer, Doing{s.number, what}, serverLimit)
	return r, withoutMachine(err)
}

func (s *remote) At(h wire.HTTP) wire.Endpoint { return s.at[h] }

func (s *remote) Freeze() error { _, err := s.Read(doFreeze); return err }
func (s *remote) Thaw() error   { _, err := s.Read(doThaw); return err }
func (s *remote) End() error    { _, err := s.Read(doEnd); return err }

func (s *remote) Stop() (cut int64, err error) {
	r, err := s.Read(doStop)
	return r.Usage.LogCutBytes, err
}
