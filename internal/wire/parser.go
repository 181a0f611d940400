package wire

import (
	"bytes"
	"io"
)

// Want describes how to read the next response, and its expected body. Feed keeps no reference to
// it after that response.
type Want struct {
	Body      []byte
	CheckBody bool // compare with Body
	Sink      Sink // emptied by Expect, then fed with the body as it comes, without transfer coding; may be nil
	Head      bool // the request was HEAD
	StopAt    bool // return AtHead once the header section is there
}

// Sink takes in bodies, such as a hash.Hash.
type Sink interface {
	io.Writer
	Reset()
}

// HTTP1Event is the reason why Feed returned.
type HTTP1Event uint8

// More: everything usable in the slice is used. AtHead: Fields may be read now, and only now. Done:
// the response is complete.
const (
	HTTP1More HTTP1Event = iota
	AtHead
	Done
)

// Memo remembers the last parsed header section, so that an identical one costs one comparison.
// Servers repeat theirs for a whole second, until Date changes. Parsers in one goroutine may share
// a Memo.
type Memo struct {
	head  head
	bytes [1024]byte
	used  int
	id    uint64
}

// HTTP1Parser reads the responses on one connection, one after another: Expect, then Feed until Done.
// The exported fields describe the current response; they hold until the next Expect.
type HTTP1Parser struct {
	Memo *Memo // may be nil

	Status  int
	Framing Framing
	Close   bool   // the connection must not be used again (RFC 9112 9.6)
	HeadID  uint64 // equal for header sections that are equal byte for byte; 0 if Memo does not hold this one
	Length  int64  // body bytes so far
	Equal   bool   // with Want.CheckBody: the body so far is a prefix of Want.Body

	want    Want
	state   state
	scanned int       // bytes at the start of the next slice that are known not to hold the end
	left    int64     // bytes left in the body or chunk
	fields  []byte    // valid in AtHead
	head    head      // head of the current response
	trailer int       // bytes in trailers so far
	keep    *Response // where WholeResponse collects the fields and the body; else nil
}

// state is the part of the response that comes next.
type state uint8

const (
	atHead state = iota
	atBody
	inLength
	inClose
	chunkSize
	chunkData
	chunkEnd
	trailers
	done
)

// Expect starts the next response.
func (p *HTTP1Parser) Expect(w Want) {
	p.want = w
	p.state = atHead
	p.scanned = 0
	p.Length = 0
	p.Equal = true
	if w.Sink != nil {
		w.Sink.Reset()
	}
}

// Fields returns the field lines of the header section, for NextField.
func (p *HTTP1Parser) Fields() []byte { return p.fields }

// Matches reports whether the complete body equals Want.Body, if Want.CheckBody was set.
func (p *HTTP1Parser) Matches() bool { return p.Equal && p.Length == int64(len(p.want.Body)) }

// Feed reads from b, which must begin where the last call stopped: with the bytes beyond n,
// followed by newer ones. It does not keep b. After an error the connection cannot be used any
// more.
func (p *HTTP1Parser) Feed(b []byte) (n int, ev HTTP1Event, err error) {
	for {
		var k int
		var more bool
		switch p.state {
		case atHead:
			k, more, err = p.feedHead(b[n:])
			if err == nil && !more && p.state == atBody && p.want.StopAt {
				return n + k, AtHead, nil
			}
		case atBody:
			p.fields = nil
			p.startBody()
		case inLength, chunkData:
			k = len(b) - n
			if int64(k) > p.left {
				k = int(p.left)
			}
			p.piece(b[n : n+k])
			if p.left -= int64(k); p.left > 0 {
				more = true
			} else if p.state == inLength {
				p.state = done
			} else {
				p.state = chunkEnd
			}
		case inClose:
			k, more = len(b)-n, true
			p.piece(b[n:])
		case chunkSize, chunkEnd, trailers:
			k, more, err = p.feedLine(b[n:])
		}
		n += k
		if p.state == done {
			return n, Done, nil
		}
		if more || err != nil {
			return n, HTTP1More, err
		}
	}
}

// End reports that the connection has closed. It returns nil if this completes the response, that
// is for a body that ends with the connection.
func (p *HTTP1Parser) End() error {
	if p.state != inClose {
		return ErrIncomplete
	}
	p.state = done
	return nil
}

// Within reports whether the response lacks a part of its body: bytes up to its length, or chunks.
func (p *HTTP1Parser) Within() bool {
	return p.state == inLength || p.state > inClose && p.state < done
}

// feedHead reads a status line and header section from b, by comparison with the Memo if possible.
// An interim response (1xx) is skipped.
func (p *HTTP1Parser) feedHead(b []byte) (n int, more bool, err error) {
	m := p.Memo
	if m != nil && m.used > 0 && len(b) >= m.used && bytes.Equal(b[:m.used], m.bytes[:m.used]) {
		p.head, p.HeadID = m.head, m.id
	} else {
		p.HeadID = 0
		i := bytes.Index(b[max(p.scanned-3, 0):], blank)
		if i < 0 {
			return 0, true, p.unfinished(b)
		}
		size := i + max(p.scanned-3, 0) + len(blank)
		if size > HTTP1MaxHead {
			return 0, false, p.unfinished(b[:size])
		}
		if err := p.head.parse(b[:size]); err != nil {
			return 0, false, err
		}
		if m != nil && size <= len(m.bytes) && p.head.status >= 200 {
			m.head, m.used = p.head, copy(m.bytes[:], b[:size])
			m.id++
			p.HeadID = m.id
		}
	}
	h := &p.head
	p.scanned = 0
	if h.status < 200 { // interim responses precede the final one (RFC 9110 15.2)
		if h.status == 101 {
			return 0, false, ErrUpgrade
		}
		return h.size, false, nil
	}
	p.Status, p.Close = h.status, h.close
	p.fields = b[h.line : h.size-2]
	p.state = atBody
	if p.keep != nil {
		p.keep.head(h, b[:h.size])
	}
	return h.size, false, nil
}

// unfinished checks the beginning of a header section, to distinguish garbage from a slow response,
// and remembers how far it has checked. Its result depends only on the bytes, not on their division
// into reads: it ignores bytes beyond MaxHead.
func (p *HTTP1Parser) unfinished(b []byte) error {
	if k := min(len(b), len(prefix)); !bytes.Equal(b[:k], prefix[:k]) {
		return ErrStatusLine
	}
	for i := p.scanned; i < min(len(b), HTTP1MaxHead); i++ {
		if b[i] == '\n' && (i == 0 || b[i-1] != '\r') {
			return p.head.parse(b[:i+1]) // it fails at that line, or before
		}
	}
	if len(b) > HTTP1MaxHead {
		return ErrTooLarge
	}
	p.scanned = len(b)
	return nil
}

// startBody decides how the body ends (RFC 9112 6.3). Rule 2 is for CONNECT, which dyno never
// sends, and rule 7 is for requests.
func (p *HTTP1Parser) startBody() {
	h := &p.head
	switch {
	case p.want.Head || h.status == 204 || h.status == 304: // rule 1, whatever the fields say; 1xx has been passed over
		p.Framing, p.state = NoBody, done
	case h.chunked: // rules 3 and 4
		p.Framing, p.state, p.trailer = Chunked, chunkSize, 0
	case h.length > 0: // rule 6; rule 5 is in head
		p.Framing, p.state, p.left = ByLength, inLength, h.length
	case h.length == 0:
		p.Framing, p.state = ByLength, done
	default: // rule 8
		p.Framing, p.state, p.Close = ByClose, inClose, true
	}
}

// piece compares, hands on and counts the body's next bytes.
func (p *HTTP1Parser) piece(b []byte) {
	if p.want.CheckBody && p.Equal {
		rest := int64(len(p.want.Body)) - p.Length
		p.Equal = int64(len(b)) <= rest && bytes.Equal(b, p.want.Body[p.Length:p.Length+int64(len(b))])
	}
	if p.want.Sink != nil {
		p.want.Sink.Write(b)
	}
	p.Length += int64(len(b))
	if p.keep != nil {
		p.keep.Body = append(p.keep.Body, b...)
	}
}

// feedLine reads the chunked coding's parts that come in lines (RFC 9112 7.1): sizes, chunk ends,
// and the trailer section (7.1.2), whose fields are checked and otherwise ignored.
func (p *HTTP1Parser) feedLine(b []byte) (n int, more bool, err error) {
	i := bytes.IndexByte(b[p.scanned:], '\n')
	if i < 0 {
		if p.scanned = len(b); p.scanned > maxLine {
			return 0, true, ErrTooLarge
		}
		return 0, true, nil
	}
	n = p.scanned + i + 1
	p.scanned = 0
	if n > maxLine {
		return 0, false, ErrTooLarge
	}
	if n < 2 || b[n-2] != '\r' {
		return 0, false, ErrLine
	}
	line := b[:n-2]
	switch p.state {
	case chunkEnd:
		if len(line) != 0 {
			return 0, false, ErrChunk
		}
		p.state = chunkSize
	case chunkSize:
		size, ok := chunkLine(line)
		switch {
		case !ok:
			return 0, false, ErrChunk
		case size == 0:
			p.state = trailers
		default:
			p.state, p.left = chunkData, size
		}
	case trailers:
		if p.trailer += n; p.trailer > HTTP1MaxHead {
			return 0, false, ErrTooLarge
		}
		if len(line) == 0 {
			p.state = done
			break
		}
		if _, _, err := field(line); err != nil {
			return 0, false, err
		}
	}
	return n, false, nil
}

// chunkLine reads `1*HEXDIG [chunk-ext]`, up to 15 digits. Extensions are ignored, as RFC 9112
// 7.1.1 demands.
func chunkLine(b []byte) (size int64, ok bool) {
	i := 0
	for ; i < len(b); i++ {
		d := unhex(b[i])
		if d > 15 {
			break
		}
		size = size<<4 | int64(d)
	}
	if i == 0 || i > 15 {
		return 0, false
	}
	if ext := trim(b[i:]); i < len(b) && (len(ext) == 0 || ext[0] != ';') {
		return 0, false
	}
	for _, c := range b[i:] {
		if class[c]&cVal == 0 {
			return 0, false
		}
	}
	return size, true
}

// unhex returns the value of a hex digit, 255 for any other byte.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
