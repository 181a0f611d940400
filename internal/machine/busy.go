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
}

// String describes the holder: "dyno run iris (pid 4711, since 2026-09-04 12:00:00), into runs/x".
func (h Holder) String() string {
	if h.Pid == 0 {
		return "another dyno"
	}
	text := fmt.Sprintf("%s (pid %d, since %s)", h.Command, h.Pid, time.Unix(0, h.SinceUnixNS).Format(time.DateTime))
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
