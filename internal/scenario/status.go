package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// StatusSet is a set of HTTP statuses from 100 to 599, comparable by ==. The zero value is empty.
type StatusSet [8]uint64

const (
	lowStatus  = 100
	highStatus = 599
)

// ParseStatuses reads a list such as "200,204", "2xx" or "200-299,304": statuses, classes and ranges, both ends among them.
func ParseStatuses(list string) (StatusSet, error) {
	var s StatusSet
	for one := range strings.SplitSeq(list, ",") {
		low, high, ok := statusRange(strings.TrimSpace(one))
		if !ok {
			return StatusSet{}, fmt.Errorf("%q is no list of statuses from %d to %d: want one such as \"200,204\", \"2xx\" or \"200-399\"", list, lowStatus, highStatus)
		}
		for status := low; status <= high; status++ {
			s.add(status)
		}
	}
	return s, nil
}

func statusRange(s string) (low, high int, ok bool) {
	if len(s) == 3 && strings.EqualFold(s[1:], "xx") && '1' <= s[0] && s[0] <= '5' {
		low = int(s[0]-'0') * 100
		return low, low + 99, true
	}
	first, last, ranged := strings.Cut(s, "-")
	if !ranged {
		last = first
	}
	low, ok1 := oneStatus(strings.TrimSpace(first))
	high, ok2 := oneStatus(strings.TrimSpace(last))
	return low, high, ok1 && ok2 && low <= high
}

func oneStatus(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && n >= lowStatus && n <= highStatus
}

func (s *StatusSet) add(status int) {
	s[(status-lowStatus)/64] |= 1 << ((status - lowStatus) % 64)
}

// Has reports whether status is in s.
func (s *StatusSet) Has(status int) bool {
	i := uint(status - lowStatus)
	return i <= highStatus-lowStatus && s[i/64]>>(i%64)&1 != 0
}

// Empty reports whether no status is in s.
func (s *StatusSet) Empty() bool { return *s == StatusSet{} }

// String is s as ParseStatuses reads it, as short as it can be said: a run of statuses is one range, or a class if it is just that.
func (s StatusSet) String() string {
	var b strings.Builder
	for status := lowStatus; status <= highStatus; status++ {
		if !s.Has(status) {
			continue
		}
		first := status
		for s.Has(status + 1) {
			status++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		switch {
		case first%100 == 0 && status == first+99:
			fmt.Fprintf(&b, "%dxx", first/100)
		case first == status:
			b.WriteString(strconv.Itoa(first))
		default:
			fmt.Fprintf(&b, "%d-%d", first, status)
		}
	}
	return b.String()
}
