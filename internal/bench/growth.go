package bench

import (
	"time"

	"dyno/internal/result"
)

// growthEvery is the time between two readings of a server's memory under a long load: one takes some milliseconds where a server holds a gigabyte.
const growthEvery = 2 * time.Second

// growth begins to follow the memory of s; the function it returns ends that and says what was seen.
func growth(s Server) func() []result.MemoryAt {
	stop, done := make(chan struct{}), make(chan []result.MemoryAt)
	began := time.Now()
	go func() {
		var seen []result.MemoryAt
		tick := time.NewTicker(growthEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				done <- seen
				return
			case <-tick.C:
				var u result.Usage
				if s.Usage(&u); u.PSSBytes != nil {
					seen = append(seen, result.MemoryAt{AtNS: int64(time.Since(began)), PSSBytes: *u.PSSBytes})
				}
			}
		}
	}()
	return func() []result.MemoryAt {
		close(stop)
		return <-done
	}
}
