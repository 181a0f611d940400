package load

import (
	"math"
	"runtime"
	"testing"

	"dyno/internal/endpoint"
	"dyno/internal/result"
	"dyno/internal/tcpstat"
)

// A load of 80,000 answers of 500 bytes in a second over a link of 1 Gbit/s takes a share of it with the
// frames around them: 39 %.
func TestLinkShare(t *testing.T) {
	l := &result.Load{WindowNS: 1e9, BytesRead: 80_000 * 500, BytesWritten: 80_000 * 100,
		Network: &result.Network{Sent: 80_000, Received: 100_000, LinkBitsPerSec: 1e9}}
	if got, want := linkShare(l), 8*(40e6+100_000*90)/1e9; math.Abs(got-want) > 1e-9 || math.Abs(got-.392) > 1e-9 {
		t.Errorf("%v; want %v", got, want)
	}
	l.BytesWritten = 60e6 // the other way has more
	if got, want := linkShare(l), 8*(60e6+80_000*90)/1e9; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v; want %v", got, want)
	}
	if l.Network.LinkBitsPerSec = 0; linkShare(l) != 0 {
		t.Error("a link of unknown bandwidth has a share")
	}
}

// Segments are counted where the server is reached by TCP, and not elsewhere.
func TestSegments(t *testing.T) {
	for network, want := range map[string]bool{"tcp": runtime.GOOS == "linux", "unix": false, "netns:x": false} {
		j := Job{Endpoint: endpoint.Endpoint{Network: network}, link: tcpstat.Link{Device: "eth9", BitsPerSec: 1e9}}
		var l result.Load
		l.WindowNS, l.BytesRead = 1e9, 1e6
		j.Segments()(&l)
		if (l.Network != nil) != want {
			t.Fatalf("%s: %+v", network, l.Network)
		}
		if n := l.Network; want && (n.Link != "eth9" || n.LinkShare < .008 || n.Sent < 0 || n.Retransmitted < 0) {
			t.Errorf("%+v", n)
		}
	}
}

// Segments of several generators add up; the link is the one that was used most.
func TestSegmentsAreMerged(t *testing.T) {
	sum := result.Network{}
	for i, share := range []float64{.1, .7, .3} {
		sum.Add(&result.Network{Sent: 10, Retransmitted: 1, Received: 20, OutOfOrder: 2, Link: string(rune('a' + i)),
			LinkBitsPerSec: int64(i + 1), LinkShare: share})
	}
	if sum != (result.Network{Sent: 30, Retransmitted: 3, Received: 60, OutOfOrder: 6, Link: "b", LinkBitsPerSec: 2,
		LinkShare: .7}) {
		t.Errorf("%+v", sum)
	}
}
