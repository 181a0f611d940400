package scenario

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"

	"dyno/internal/conf"
)

// Rows is the contract for a body that holds rows of a service's table, as JSON objects with two integers. Keys
// are 1 to Size; the seed gives the row with key k the value 1 + k × Step mod Size.
type Rows struct {
	Table   string `toml:"table"`
	Key     string `toml:"key"`   // name of the column, and in JSON
	Value   string `toml:"value"` // the same
	Size    int64  `toml:"size"`
	Step    int64  `toml:"step"`
	Count   int    `toml:"count"`   // the body is a list with so many rows; 0: it is one row
	Updated bool   `toml:"updated"` // the server chooses the values, 1 to Size, and writes them to the table

	log *RowLog
}

// Bounds of Rows: a RowLog keeps keys and values in 16 bits.
const (
	mostKeys = 1<<16 - 1
	mostRows = 10_000
)

var identifier = conf.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (r *Rows) check() error {
	switch {
	case !identifier().MatchString(r.Table) || !identifier().MatchString(r.Key) || !identifier().MatchString(r.Value):
		return errors.New("want names of a table and two of its columns: table, key and value")
	case r.Size < 1 || r.Size > mostKeys:
		return fmt.Errorf("size %d: want the number of rows in the table, 1 to %d", r.Size, mostKeys)
	case r.Step < 1 || r.Step > mostKeys:
		return fmt.Errorf("step %d: want 1 to %d; the row with key k holds 1 + k × step mod size", r.Step, mostKeys)
	case r.Count < 0 || r.Count > mostRows:
		return fmt.Errorf("count %d: want 1 to %d, or omit it for a single row", r.Count, mostRows)
	}
	return nil
}

// Number returns how many rows a body holds.
func (r *Rows) Number() int { return max(r.Count, 1) }

// Seeded returns the seed's value for a key.
func (r *Rows) Seeded(key int64) int64 { return 1 + key*r.Step%r.Size }

// Breach describes how a body breaks the contract; "" if it does not. It allocates only then.
func (r *Rows) Breach(body []byte) string {
	s := scan{b: body}
	if r.Count > 0 && !s.take('[') {
		return fmt.Sprintf("body %s; want a JSON list of %d rows", quote(body), r.Count)
	}
	for i := range r.Number() {
		if i > 0 && !s.take(',') {
			return fmt.Sprintf("body %s ends after row %d; want %d rows", quote(body), i, r.Count)
		}
		key, value, ok := r.row(&s)
		switch {
		case !ok:
			return fmt.Sprintf("body %s: row %d is not a JSON object of the integers %q and %q alone", quote(body), i+1,
				r.Key, r.Value)
		case key < 1 || key > r.Size:
			return fmt.Sprintf("%s is %d; want 1 to %d", r.Key, key, r.Size)
		case r.Updated && (value < 1 || value > r.Size):
			return fmt.Sprintf("%s is %d; want 1 to %d", r.Value, value, r.Size)
		case !r.Updated && value != r.Seeded(key):
			return fmt.Sprintf("the row with %s %d has the %s %d; in the table %s it is %d", r.Key, key, r.Value, value,
				r.Table, r.Seeded(key))
		}
		if r.log != nil {
			r.log.add(key, value)
		}
	}
	if r.Count > 0 && !s.take(']') {
		return fmt.Sprintf("body %s goes on after row %d; want %[2]d rows", quote(body), r.Count)
	}
	if s.next() != 0 || s.i < len(s.b) {
		return fmt.Sprintf("body %s goes on after the rows", quote(body))
	}
	return ""
}

// row reads one object.
func (r *Rows) row(s *scan) (key, value int64, ok bool) {
	if !s.take('{') {
		return 0, 0, false
	}
	had := 0
	for i := range 2 {
		if i > 0 && !s.take(',') || s.next() != '"' {
			return 0, 0, false
		}
		name, ended := s.text()
		if !ended || !s.take(':') {
			return 0, 0, false
		}
		n, whole := s.integer()
		switch {
		case whole && string(name) == r.Key:
			key, had = n, had|1
		case whole && string(name) == r.Value:
			value, had = n, had|2
		}
	}
	return key, value, had == 3 && s.take('}')
}

// integer reads an integer without a sign, of at most nine digits.
func (s *scan) integer() (n int64, ok bool) {
	c := s.next()
	from := s.i
	for '0' <= c && c <= '9' {
		n = 10*n + int64(c-'0')
		if s.i++; s.i == len(s.b) {
			break
		}
		c = s.b[s.i]
	}
	digits := s.i - from
	return n, digits == 1 || digits > 1 && digits < 10 && s.b[from] != '0'
}

// Make returns a body that keeps the contract, with random keys.
func (r *Rows) Make() []byte {
	var b []byte
	for i := range r.Number() {
		key := 1 + rand.Int64N(r.Size)
		value := r.Seeded(key)
		if r.Updated {
			value = 1 + rand.Int64N(r.Size)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(append(append(b, `{"`...), r.Key...), `":`...), key, 10)
		b = strconv.AppendInt(append(append(append(b, `,"`...), r.Value...), `":`...), value, 10)
		b = append(b, '}')
	}
	if r.Count > 0 {
		b = append(append([]byte{'['}, b...), ']')
	}
	return b
}

// RowLog holds the rows of the last right answers in a load. It is safe for concurrent use.
type RowLog struct {
	n    atomic.Int64
	rows [1 << 18]atomic.Uint32 // key and value, 16 bits each
}

func (l *RowLog) add(key, value int64) {
	i := l.n.Add(1) - 1
	l.rows[int(i)%len(l.rows)].Store(uint32(key)<<16 | uint32(value))
}

// Each calls f with each row.
func (l *RowLog) Each(f func(key, value int64)) {
	for i := range min(int(l.n.Load()), len(l.rows)) {
		row := l.rows[i].Load()
		f(int64(row>>16), int64(row&mostKeys))
	}
}

// Logged returns s with a log of the rows in its loaded requests' answers, and their contract; nil if there is none.
func (s *Scenario) Logged() (logged *Scenario, l *RowLog, rows *Rows) {
	i := slices.IndexFunc(s.Requests, func(r Request) bool { return r.Weight > 0 && r.Expect.Rows != nil })
	if i < 0 {
		return s, nil, nil
	}
	l = new(RowLog)
	return s.each(func(_ int, r *Request) {
		if r.Expect.Rows != nil && r.Weight > 0 {
			own := *r.Expect.Rows
			own.log, r.Expect.Rows = l, &own
		}
	}), l, s.Requests[i].Expect.Rows
}
