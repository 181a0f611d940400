package machine

import (
	"fmt"
	"time"
)

// Holder describes the run that holds the machine lock.
type Holder struct {
	Pid         int    `json:"pid"`
	Command     string `json:"command"`
	Folder      string `json:"folder,omitempty"` // run folder
	SinceUnixNS int64  `json:"since_unix_ns"`
	EndsUnixNS  int64  `json:"ends_unix_ns,omitempty"` // when its measurements end, as far as is known; 0: unknown
}

func (h Holder) String() string { return h.at(time.Now()) }

// at describes the holder: "dyno run iris (pid 4711, about 3m20s left), into runs/x".
func (h Holder) at(now time.Time) string {
	if h.Pid == 0 {
		return "another dyno"
	}
	left := time.Duration(h.EndsUnixNS - now.UnixNano()).Round(10 * time.Second)
	when := fmt.Sprintf("about %v left", left)
	if h.EndsUnixNS == 0 || left <= 0 || left > 100*time.Hour {
		when = "since " + time.Unix(0, h.SinceUnixNS).Format(time.DateTime)
	}
	text := fmt.Sprintf("%s (pid %d, %s)", h.Command, h.Pid, when)
	if h.Folder != "" {
		text += ", into " + h.Folder
	}
	return text
}

// Busy is the error that LockMachine returns when another run measures on this machine.
type Busy struct{ Holder }

func (b *Busy) Error() string {
	return "another run is measuring on this machine: " + b.Holder.String()
}
