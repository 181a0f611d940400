package load

import (
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Counted stores in l the segments of a window's connections; nothing if they are not TCP
// connections, or this system does not count.
func (j *Job) Counted(l *record.Load, s *wire.Segments) {
	if s.Connections == 0 {
		return
	}
	l.Network = &record.Network{Segments: *s, Link: j.link.Device, LinkBitsPerSec: j.link.BitsPerSec}
	l.Network.LinkShare = linkShare(l)
}

// frameBytes is a segment's overhead on an Ethernet link: preamble, frame, checksum and gap 38, IPv4
// 20, TCP with time stamps 32.
const frameBytes = 90

// linkShare returns the share of the link's bandwidth that a Load used, in the busier direction; 0
// if unknown.
func linkShare(l *record.Load) float64 {
	n := l.Network
	if n.LinkBitsPerSec <= 0 || l.WindowNS <= 0 {
		return 0
	}
	bytes := max(l.BytesRead+frameBytes*n.Received, l.BytesWritten+frameBytes*n.Sent)
	return 8 * float64(bytes) / (float64(l.WindowNS) / 1e9) / float64(n.LinkBitsPerSec)
}
