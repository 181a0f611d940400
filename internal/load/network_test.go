package load

import (
	"math"
	"testing"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// A load with 80,000 answers of 500 bytes in a second uses, with the frames around them, 39 % of a
// link with 1 Gbit/s.
func TestLinkShare(t *testing.T) {
	l := &record.Load{WindowNS: 1e9, BytesRead: 80_000 * 500, BytesWritten: 80_000 * 100,
		Network: &record.Network{Segments: wire.Segments{Sent: 80_000, Received: 100_000}, LinkBitsPerSec: 1e9}}
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

// A Load has its connections' segments, if there are any, with the link.
func TestCounted(t *testing.T) {
	j := Job{link: wire.Link{Device: "eth9", BitsPerSec: 1e9}}
	l := record.Load{WindowNS: 1e9, BytesRead: 1e6}
	if j.Counted(&l, &wire.Segments{}); l.Network != nil {
		t.Errorf("without connections: %+v", l.Network)
	}
	s := wire.Segments{Connections: 2, Sent: 10, Retransmitted: 3, Duplicates: 3, Received: 9}
	if j.Counted(&l, &s); l.Network == nil || l.Network.Segments != s || l.Network.Link != "eth9" ||
		l.Network.LinkShare < .008 {
		t.Errorf("%+v", l.Network)
	}
}

// Several generators' segments add up; the link is the most used one.
func TestSegmentsAreMerged(t *testing.T) {
	sum, one := record.Network{}, wire.Segments{Connections: 1, Sent: 10, Retransmitted: 2, Duplicates: 1, Received: 20,
		OutOfOrder: 2}
	for i, share := range []float64{.1, .7, .3} {
		sum.Add(&record.Network{Segments: one, Link: string(rune('a' + i)), LinkBitsPerSec: int64(i + 1), LinkShare: share})
	}
	if sum != (record.Network{Segments: wire.Segments{Connections: 3, Sent: 30, Retransmitted: 6, Duplicates: 3,
		Received: 60, OutOfOrder: 6}, Link: "b", LinkBitsPerSec: 2, LinkShare: .7}) {
		t.Errorf("%+v", sum)
	}
}
