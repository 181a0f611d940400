package load

import (
	"dyno/internal/result"
	"dyno/internal/tcpstat"
)

// Segments starts to count what the generator's machine sends and receives by TCP. The returned function
// stores it in a Load; nothing where the server is not reached by TCP from dyno's own network namespace,
// or this system counts nothing. Both read two files, and so stand before and after a window.
func (j *Job) Segments() func(*result.Load) {
	if j.Endpoint.Network != "tcp" {
		return func(*result.Load) {}
	}
	before, err := tcpstat.Read()
	if err != nil {
		return func(*result.Load) {}
	}
	return func(l *result.Load) {
		after, err := tcpstat.Read()
		if err != nil {
			return
		}
		l.Network = &result.Network{Sent: after.Sent - before.Sent,
			Retransmitted: after.Retransmitted - before.Retransmitted, Received: after.Received - before.Received,
			OutOfOrder: after.OutOfOrder - before.OutOfOrder,
			Link:       j.link.Device, LinkBitsPerSec: j.link.BitsPerSec}
		l.Network.LinkShare = linkShare(l)
	}
}

// frameBytes is what a segment takes on an Ethernet link besides its payload: preamble, frame, checksum
// and gap 38, IPv4 20, TCP with time stamps 32.
const frameBytes = 90

// linkShare returns the share of the bandwidth of a Load's link that was used, in the direction with
// more; 0 if it is not known.
func linkShare(l *result.Load) float64 {
	n := l.Network
	if n.LinkBitsPerSec <= 0 || l.WindowNS <= 0 {
		return 0
	}
	bytes := max(l.BytesRead+frameBytes*n.Received, l.BytesWritten+frameBytes*n.Sent)
	return 8 * float64(bytes) / (float64(l.WindowNS) / 1e9) / float64(n.LinkBitsPerSec)
}
