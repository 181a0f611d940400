package loop

// records follows the TLS records in received data (RFC 8446, section 5.1), to know when crypto/tls
// has decrypted all it holds. crypto/tls does not report this, and asking it costs a call and an
// allocation for each response.
type records struct {
	head  [5]byte
	had   int // header bytes read, if the header is incomplete
	left  int // bytes missing from the current record
	begun int // records begun since crypto/tls last held nothing
}

// receive follows the records in b, the next received bytes.
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

// whole reports whether the received data ends with a record.
func (r *records) whole() bool { return r.had+r.left == 0 }
