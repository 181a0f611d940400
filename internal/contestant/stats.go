package contestant

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Heap has the heap figures that a contestant in Go (runtime.MemStats) or .NET (GC.GetTotalAllocatedBytes)
// reports, in bytes, and its goroutine count.
type Heap struct {
	Inuse      int64 `json:"heap_inuse_bytes"`  // spans in use; 0 for .NET
	TotalAlloc int64 `json:"total_alloc_bytes"` // allocated since the start

	GoroutinesStarted int64 `json:"goroutines_started"` // since the start; 0 before Go 1.26
}

// Heap requests the heap figures, which stops the program for a moment.
func (i *Instance) Heap() (h Heap, err error) {
	if i.Stats == "" {
		return h, errors.New("it does not report its heap")
	}
	// No connection stays open during a trial.
	once := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := once.Get("http://" + i.Stats + "/stats")
	if err != nil {
		return h, fmt.Errorf("read its heap: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return h, fmt.Errorf("read its heap: GET /stats at DYNO_STATS returned %s", answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(&h); err != nil || h.TotalAlloc <= 0 {
		return h, errors.Join(fmt.Errorf("read its heap: total_alloc_bytes %d: it must be above 0", h.TotalAlloc), err)
	}
	return h, nil
}
