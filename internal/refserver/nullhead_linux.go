package refserver

import "bytes"

// nullHead has the parts of a request's head that concern its body and its connection.
type nullHead struct {
	length  int
	chunked bool
	old     bool // the request is in HTTP/1.0
	close   bool // the connection ends with the response
	cookie  bool
}

// readNullHead reads a request's head, whose lines all end in CR LF.
func readNullHead(h []byte) (r nullHead) {
	i := bytes.IndexByte(h, '\n')
	r.old = i > 2 && h[i-2] == '0'
	r.close = r.old
	for h = h[i+1:]; i >= 0 && len(h) > 0; h = h[i+1:] {
		i = bytes.IndexByte(h, '\n')
		switch h[0] | 0x20 {
		case 't':
			if nullNamed(h, nullCoding) {
				return nullHead{chunked: true}
			}
		case 'c':
			switch {
			case nullNamed(h, nullCookie):
				r.cookie = true
			case nullNamed(h, nullLength):
				r.length = nullNumber(h[len(nullLength):])
			case nullNamed(h, nullConnection): // by first letter: close, keep-alive; not upgrade
				switch v := bytes.TrimLeft(h[len(nullConnection):], " \t"); v[0] | 0x20 {
				case 'c':
					r.close = true
				case 'k':
					r.close = false
				}
			}
		}
	}
	return r
}

// nullNamed reports whether a header line begins with name, which ends in a colon, in any case (RFC 9110,
// 5.1).
func nullNamed(line, name []byte) bool {
	return len(line) > len(name) && bytes.EqualFold(line[:len(name)], name)
}

// nullNumber parses the digits at the start of a header value.
func nullNumber(v []byte) (n int) {
	for _, d := range v {
		if '0' <= d && d <= '9' && n < 1<<40 {
			n = n*10 + int(d-'0')
		} else if d != ' ' && d != '\t' {
			break
		}
	}
	return n
}
