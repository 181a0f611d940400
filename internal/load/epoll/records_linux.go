package epoll

// records follows the records of TLS in what is received (RFC 8446, section 5.1), to know when
// crypto/tls holds nothing that it has not decrypted. It does not tell, and asking it costs a call
// and an allocation for each response.
type records struct {
	head  [5]byte
	had   int // bytes of a head of which some are missing
	left  int // bytes that are missing of the record behind it
	begun int // records that have begun since crypto/tls held nothing
}

// receive follows b.
func (r *records) receive(b []byte) {
	for {
		k := min(r.left, len(b))
		r.left -= k
		if b = b[k:]; len(b) == 0 {
			return
		}
		if r.had == 0 {
			r.begun++
		}
		k = copy(r.head[r.had:], b)
		b = b[k:]
		if r.had += k; r.had == len(r.head) {
			r.had, r.left = 0, int(r.head[3])<<8|int(r.head[4])
		}
	}
}

// whole reports whether what was received ends with a record.
func (r *records) whole() bool { return r.had+r.left == 0 }
