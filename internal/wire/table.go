package wire

import "golang.org/x/net/http2/hpack"

// use is the purpose of a response field.
type use uint8

const (
	plain   use = iota
	status      // :status
	length      // content-length
	pseudo      // another pseudo-header field
	illegal     // RFC 9113 8.2 forbids it
)

// entry is a field in a table's text.
type entry struct {
	at, name, line int32 // the place of `name: value\r\n`; lengths of the name and of the line
	use            use
}

// overhead is an entry's size beyond its line: 32 octets, but no colon, blank and line end (RFC
// 7541 4.1).
const overhead = 32 - len(": \r\n")

// table holds fields as lines, so that an indexed field is copied in one go.
type table struct {
	text    []byte
	entries []entry // the oldest first
	first   int     // index of the oldest remaining entry
	size    int     // as RFC 7541 4.1 counts it
	limit   int
}

// static is the table in RFC 7541, appendix A, as x/net knows it.
var static = func() (t table) {
	t.limit = 1 << 20
	d := hpack.NewDecoder(0, func(f hpack.HeaderField) {
		t.add([]byte(f.Name+": "+f.Value+"\r\n"), len(f.Name), useOf([]byte(f.Name), []byte(f.Value)))
	})
	for i := range staticEntries {
		d.Write([]byte{0x80 | byte(i+1)}) // an indexed field
	}
	return t
}()

const staticEntries = 61

// line returns e's line.
func (t *table) line(e *entry) []byte { return t.text[e.at : e.at+e.line] }

// add appends a field and evicts the oldest until it fits; a field larger than the whole table
// empties it (RFC 7541 4.4).
func (t *table) add(line []byte, name int, u use) {
	n := len(line) + overhead
	t.shrink(t.limit - n)
	if n > t.limit {
		return
	}
	if t.first > 0 && (len(t.text)+len(line) > cap(t.text) || len(t.entries) == cap(t.entries)) {
		t.compact()
	}
	t.entries = append(t.entries, entry{int32(len(t.text)), int32(name), int32(len(line)), u})
	t.text = append(t.text, line...)
	t.size += n
}

// compact moves the remaining entries to the front.
func (t *table) compact() {
	if t.first == len(t.entries) {
		t.text, t.entries, t.first = t.text[:0], t.entries[:0], 0
		return
	}
	from := t.entries[t.first].at
	t.text = t.text[:copy(t.text, t.text[from:])]
	t.entries = t.entries[:copy(t.entries, t.entries[t.first:])]
	t.first = 0
	for i := range t.entries {
		t.entries[i].at -= from
	}
}

// shrink evicts the oldest entries until the table's size is at most size.
func (t *table) shrink(size int) {
	for t.size > max(size, 0) {
		t.size -= int(t.entries[t.first].line) + overhead
		t.first++
	}
}

// reset empties the table, for a new connection.
func (t *table) reset() {
	t.text, t.entries, t.first, t.size, t.limit = t.text[:0], t.entries[:0], 0, 0, TableSize
}

// find returns the entry with this index, and the table that it is in; nil if there is none (RFC
// 7541 2.3.3).
func (t *table) find(index uint64) (*table, *entry) {
	if index == 0 || index > uint64(staticEntries+len(t.entries)-t.first) {
		return nil, nil
	}
	if index <= staticEntries {
		return &static, &static.entries[index-1]
	}
	return t, &t.entries[len(t.entries)-int(index-staticEntries)]
}

// useOf says what a field is for. Names are tokens in lower case, values hold no control characters
// (RFC 9113 8.2.1, RFC 9110 5.5), and nothing speaks of the connection (RFC 9113 8.2.2).
func useOf(name, value []byte) use {
	if len(name) == 0 {
		return illegal
	}
	for i, c := range name {
		if (class[c]&cTok == 0 || 'A' <= c && c <= 'Z') && (i > 0 || c != ':' || len(name) == 1) {
			return illegal
		}
	}
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return illegal
		}
	}
	if len(trim(value)) < len(value) {
		return illegal
	}
	switch string(name) { // does not allocate
	case ":status":
		return status
	case "content-length":
		return length
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return illegal
	}
	if name[0] == ':' {
		return pseudo
	}
	return plain
}
