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

// ParseStatuses parses a list of statuses, classes and ranges, such as "200,204", "2xx" or "200-299,304". A
// range includes both ends.
func ParseStatuses(list string) (StatusSet, error) {
	var s StatusSet
	for one := range strings.SplitSeq(list, ",") {
		low, high, ok := statusRange(strings.TrimSpace(one))
		if !ok {
			return StatusSet{}, fmt.Errorf("%q: want statuses from %d to %d, such as \"200,204\", \"2xx\" "+
				"or \"200-399\"", list, lowStatus, highStatus)
		}
		for i := low - lowStatus; i <= high-lowStatus; i++ {
			s[i/64] |= 1 << (i % 64)
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

// Has reports whether status is in s.
func (s *StatusSet) Has(status int) bool {
	i := uint(status - lowStatus)
	return i <= highStatus-lowStatus && s[i/64]>>(i%64)&1 != 0
}

// Empty reports whether no status is in s.
func (s *StatusSet) Empty() bool { return *s == StatusSet{} }

// String returns a short list that ParseStatuses parses to s. A run of statuses becomes one range, or a class
// if it covers exactly that class.
func (s StatusSet) String() string {
	var list []string
	for status := lowStatus; status <= highStatus; status++ {
		if !s.Has(status) {
			continue
		}
		first := status
		for s.Has(status + 1) {
			status++
		}
		switch {
		case first%100 == 0 && status == first+99:
			list = append(list, fmt.Sprintf("%dxx", first/100))
		case first == status:
			list = append(list, strconv.Itoa(first))
		default:
			list = append(list, fmt.Sprintf("%d-%d", first, status))
		}
	}
	return strings.Join(list, ",")
}
