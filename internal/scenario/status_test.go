package scenario

import (
	"strings"
	"testing"
)

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		list, text string
		in, out    []int
	}{
		{"200", "200", []int{200}, []int{100, 199, 201, 599}},
		{"200,204", "200,204", []int{200, 204}, []int{201, 203, 205}},
		{"204, 200 ,201", "200-201,204", []int{200, 201, 204}, []int{202, 203}},
		{"2xx", "2xx", []int{200, 250, 299}, []int{199, 300}},
		{"2XX,304", "2xx,304", []int{200, 299, 304}, []int{300, 303, 305}},
		{"200-399", "200-399", []int{200, 300, 399}, []int{199, 400}},
		{"2xx,3xx", "200-399", []int{200, 399}, []int{199, 400}},
		{"200-299", "2xx", []int{299}, []int{300}},
		{"1xx,5xx", "1xx,5xx", []int{100, 199, 500, 599}, []int{99, 200, 499, 600}},
		{"100-599", "100-599", []int{100, 404, 599}, []int{-1, 0, 99, 600, 999, 1 << 40}},
	} {
		s, err := ParseStatuses(c.list)
		if err != nil || s.String() != c.text {
			t.Errorf("%q: %q, %v; want %q", c.list, s, err, c.text)
		}
		if again, err := ParseStatuses(s.String()); err != nil || again != s {
			t.Errorf("%q: back as %q, %v", c.list, again, err)
		}
		for _, n := range c.in {
			if !s.Has(n) {
				t.Errorf("%q has no %d", c.list, n)
			}
		}
		for _, n := range c.out {
			if s.Has(n) {
				t.Errorf("%q has %d", c.list, n)
			}
		}
	}
	for _, bad := range []string{"", ",", "200,", "20", "99", "600", "6xx", "0xx", "2x", "xx", "299-200", "200-",
		"-200", "200-2xx", "+200", "200;204", "1e2", "99999999999"} {
		if s, err := ParseStatuses(bad); err == nil || !s.Empty() || !strings.Contains(err.Error(), "2xx") {
			t.Errorf("%q: %q, %v", bad, s, err)
		}
	}
	if text := (StatusSet{}).String(); text != "" {
		t.Errorf("the empty set is %q", text)
	}
}
