package wire

// Socket holds the kernel's counts for a TCP connection since its first SYN (struct tcp_info,
// kernel include/uapi/linux/tcp.h). The counts wrap around.
type Socket struct {
	sent, received, retransmitted uint32 // counts of segments
	// duplicates are retransmitted segments that the peer reported to have had (DSACK, RFC 2883).
	duplicates uint32
	outOfOrder uint32 // received after segments that the peer sent later
	// duplicates or outOfOrder is unknown: the kernel is older than 4.19 or 5.4, or the peer does
	// not do SACK and cannot report.
	noDuplicates, noOrder bool
}

// Segments counts the TCP segments that this end of the connections sent and received.
type Segments struct {
	Connections   int64 `json:"connections,omitempty"`
	Sent          int64 `json:"sent"`
	Retransmitted int64 `json:"retransmitted,omitempty"`
	// Duplicates are retransmitted segments that the peers reported to have had: those were not
	// lost. OutOfOrder were received after others that the peers had sent later: lost or overtaken.
	Duplicates   int64 `json:"duplicates,omitempty"`
	Received     int64 `json:"received"`
	OutOfOrder   int64 `json:"out_of_order,omitempty"`
	NoDuplicates bool  `json:"duplicates_unknown,omitempty"` // for a connection with retransmitted segments
	NoOrder      bool  `json:"out_of_order_unknown,omitempty"`
}

// Add adds the segments that connection fd sent and received since before was read; the zero Socket
// is the connection's beginning. An fd that is no TCP connection, or that the system has no counts
// for, adds nothing.
func (s *Segments) Add(fd int, before Socket) {
	if now, ok := ReadSocket(fd); ok {
		s.add(now, before)
	}
}

func (s *Segments) add(now, before Socket) {
	s.Connections++
	s.Sent += int64(now.sent - before.sent)
	s.Received += int64(now.received - before.received)
	again := int64(now.retransmitted - before.retransmitted)
	s.Retransmitted += again
	s.Duplicates += int64(now.duplicates - before.duplicates)
	s.OutOfOrder += int64(now.outOfOrder - before.outOfOrder)
	s.NoDuplicates = s.NoDuplicates || now.noDuplicates && again > 0
	s.NoOrder = s.NoOrder || now.noOrder
}

// Merge adds o's counts.
func (s *Segments) Merge(o *Segments) {
	s.Connections, s.Sent, s.Received = s.Connections+o.Connections, s.Sent+o.Sent, s.Received+o.Received
	s.Retransmitted, s.Duplicates = s.Retransmitted+o.Retransmitted, s.Duplicates+o.Duplicates
	s.OutOfOrder += o.OutOfOrder
	s.NoDuplicates, s.NoOrder = s.NoDuplicates || o.NoDuplicates, s.NoOrder || o.NoOrder
}

// Lost returns the number of retransmitted segments that no peer reported as duplicates; 0 if
// duplicates are unknown.
func (s *Segments) Lost() int64 {
	if s.NoDuplicates {
		return 0
	}
	return max(s.Retransmitted-s.Duplicates, 0)
}
