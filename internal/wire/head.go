package wire

import "bytes"

// head is the content of a status line and header section that matters for framing.
type head struct {
	size    int // bytes, including the empty line
	line    int // bytes in the status line, including CR LF
	status  int
	length  int64 // Content-Length; -1 if absent
	chunked bool
	close   bool // the server will close, or speaks HTTP/1.0 without keep-alive (RFC 9112 9.3)
}

const (
	cTok = 1 << iota // tchar (RFC 9110 5.6.2)
	cVal             // field-vchar, SP or HTAB (RFC 9110 5.5)
)

// class is the set of contexts in which a byte is valid.
var class = func() (t [256]uint8) {
	for c := 0x20; c < 256; c++ {
		if c != 0x7f {
			t[c] = cVal
		}
	}
	t['\t'] = cVal
	for c := '0'; c <= '9'; c++ {
		t[c] |= cTok
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= cTok
		t[c-0x20] |= cTok
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] |= cTok
	}
	return t
}()

var (
	prefix           = []byte("HTTP/1.")
	blank            = []byte("\r\n\r\n")
	contentLength    = []byte("content-length")
	transferEncoding = []byte("transfer-encoding")
	connection       = []byte("connection")
	tokenChunked     = []byte("chunked")
	tokenClose       = []byte("close")
	tokenKeepAlive   = []byte("keep-alive")
)

// parse reads b into h. b must end with the empty line, or contain a line that ends in a bare LF.
// The error is for the first wrong line, whatever follows.
func (h *head) parse(b []byte) error {
	*h = head{size: len(b), length: -1}
	if !bytes.HasPrefix(b, prefix) {
		return ErrStatusLine
	}
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return ErrLine
	}
	minor, err := h.statusLine(b[:end-1])
	if err != nil {
		return err
	}
	h.line = end + 1
	var closes, keeps bool
	for b = b[end+1:]; ; b = b[end+1:] {
		if end = bytes.IndexByte(b, '\n'); end < 1 || b[end-1] != '\r' {
			return ErrLine
		}
		if end == 1 {
			break
		}
		name, value, err := field(b[:end-1])
		if err != nil {
			return err
		}
		switch {
		case EqualFold(name, contentLength):
			err = h.contentLength(value)
		case EqualFold(name, transferEncoding):
			err = h.coding(value, minor)
		case EqualFold(name, connection):
			closes = closes || hasToken(value, tokenClose)
			keeps = keeps || hasToken(value, tokenKeepAlive)
		}
		if err != nil {
			return err
		}
	}
	// A sign of response splitting: "ought to be handled as an error" (RFC 9112 6.3, rule 3).
	if h.chunked && h.length >= 0 {
		return ErrFraming
	}
	h.close = closes || minor == 0 && !keeps
	return nil
}

// statusLine reads `HTTP/1.x SP 3DIGIT [SP reason]`. Note: RFC 9112 4 requires the space even
// without a reason, but many servers omit it.
func (h *head) statusLine(b []byte) (minor byte, err error) {
	if len(b) < len("HTTP/1.1 200") || b[8] != ' ' {
		return 0, ErrStatusLine
	}
	if minor = b[7] - '0'; minor > 9 {
		return 0, ErrStatusLine
	}
	for _, c := range b[9:12] {
		if c -= '0'; c > 9 {
			return 0, ErrStatusLine
		}
		h.status = h.status*10 + int(c)
	}
	if h.status < 100 || len(b) > 12 && b[12] != ' ' {
		return 0, ErrStatusLine
	}
	for _, c := range b[12:] {
		if class[c]&cVal == 0 {
			return 0, ErrStatusLine
		}
	}
	return minor, nil
}

// field splits and checks one field line without its CR LF: no white space before the colon (RFC
// 9112 5.1) or at the start (5.2).
func field(line []byte) (name, value []byte, err error) {
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, ErrFold
	}
	i := 0
	for i < len(line) && class[line[i]]&cTok != 0 {
		i++
	}
	if i == 0 || i == len(line) || line[i] != ':' {
		return nil, nil, ErrHeader
	}
	for _, c := range line[i+1:] {
		if class[c]&cVal == 0 {
			return nil, nil, ErrHeader
		}
	}
	return line[:i], trim(line[i+1:]), nil
}

// contentLength accepts `5` and, with equal values, `5, 5` or repeated fields (RFC 9112 6.3, rule
// 5).
func (h *head) contentLength(value []byte) error {
	for more := true; more; {
		var one []byte
		one, value, more = bytes.Cut(value, comma)
		n, ok := decimal(trim(one))
		if !ok || h.length >= 0 && h.length != n {
			return ErrLength
		}
		h.length = n
	}
	return nil
}

var comma = []byte{','}

// decimal reads up to 18 digits, and nothing else.
func decimal(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// coding accepts chunked, in any case, once (RFC 9112 7: coding names are case-insensitive; 6.1:
// chunked is applied once at most, and in HTTP/1.0 the framing is faulty). Other codings were not
// asked for (7.4, TE), and their content could not be checked.
func (h *head) coding(value []byte, minor byte) error {
	if h.chunked || minor == 0 || !EqualFold(value, tokenChunked) {
		return ErrCoding
	}
	h.chunked = true
	return nil
}

// hasToken reports whether a comma-separated list contains token, which is in lower case.
func hasToken(list, token []byte) bool {
	for more := true; more; {
		var one []byte
		one, list, more = bytes.Cut(list, comma)
		if EqualFold(trim(one), token) {
			return true
		}
	}
	return false
}
