package bench

import (
	"time"

	"dyno/internal/record"
)

// growthEvery is the time between two readings of a server's memory under a long load. A reading
// takes some milliseconds for a server that holds a gigabyte.
const growthEvery = 2 * time.Second

// growth starts to read s's memory periodically. The returned function stops this and returns the
// readings, including one at the start and one at the end.
func growth(s Server) func() []record.MemoryAt {
	var seen []record.MemoryAt
	began := time.Now()
	read := func(at time.Duration) {
		if r, _ := s.Read(ReadUsage); r.Usage.PrivateBytes != nil {
			seen = append(seen, record.MemoryAt{AtNS: int64(at), PrivateBytes: *r.Usage.PrivateBytes})
		}
	}
	read(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(growthEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				read(time.Since(began))
			}
		}
	}()
	return func() []record.MemoryAt {
		at := time.Since(began)
		close(stop)
		<-done
		read(at)
		return seen
	}
}
