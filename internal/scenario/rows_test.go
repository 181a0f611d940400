package scenario

import (
	"strings"
	"testing"
)

func world(count int, updated bool) *Rows {
	return &Rows{Table: "world", Key: "id", Value: "randomNumber", Size: 10_000, Step: 7919, Count: count, Updated: updated}
}

// TestRows: every body that breaks the contract for rows of a table is found, and why.
func TestRows(t *testing.T) {
	one, two, updated := world(0, false), world(2, false), world(1, true)
	row := `{"id":3,"randomNumber":3758}` // 1 + 3 × 7919 mod 10,000
	for _, c := range []struct {
		rows       *Rows
		body, want string
	}{
		{one, row, ""},
		{one, " {\"randomNumber\" : 3758 ,\n\"id\": 3 }\n", ""},
		{two, "[" + row + ", " + row + "]", ""},
		{updated, `[{"id":3,"randomNumber":9}]`, ""},
		{one, `{"id":3,"randomNumber":3759}`, "has the randomNumber 3759; in the table world it is 3758"},
		{one, `{"id":0,"randomNumber":1}`, "id is 0; want 1 to 10000"},
		{one, `{"id":10001,"randomNumber":1}`, "id is 10001"},
		{updated, `[{"id":3,"randomNumber":10001}]`, "randomNumber is 10001"},
		{one, "[" + row + "]", "row 1 is not"},
		{one, strings.Replace(row, "3758", `"3758"`, 1), "row 1 is not"},
		{one, strings.Replace(row, "3758", "3758.0", 1), "row 1 is not"},
		{one, strings.Replace(row, "3758", "03758", 1), "row 1 is not"},
		{one, strings.Replace(row, "3758", "99999999993758", 1), "row 1 is not"},
		{one, strings.Replace(row, "randomNumber", "randomnumber", 1), "row 1 is not"},
		{one, `{"id":3,"id":3}`, "row 1 is not"},
		{one, strings.Replace(row, "}", `,"more":1}`, 1), "row 1 is not"},
		{one, row + "x", "goes on after the rows"},
		{one, row + "\x00", "goes on after the rows"},
		{two, row, "want a JSON list of 2 rows"},
		{two, "[" + row + "]", "ends after row 1; want 2"},
		{two, "[" + row + "," + row + "," + row + "]", "goes on after row 2"},
		{two, "", "want a JSON list"},
		{one, row[:len(row)-1], "row 1 is not"},
	} {
		if got := c.rows.Breach([]byte(c.body)); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q; want %q", c.body, got, c.want)
		}
	}
	for _, r := range []*Rows{one, two, updated, world(100, false)} {
		body := r.Make()
		if text := r.Breach(body); text != "" {
			t.Errorf("%s: %s", body, text)
		}
		if n := testing.AllocsPerRun(10, func() { r.Breach(body) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestRowLog: it holds the rows of the last answers, and no others.
func TestRowLog(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	s := &Scenario{Requests: []Request{{Weight: 1, Expect: Expect{Rows: world(2, true)}}, {Expect: Expect{Rows: world(2, true)}}}}
	logged, l, rows := s.Logged()
	if rows != s.Requests[0].Expect.Rows || rows.log != nil || logged.Requests[1].Expect.Rows.log != nil {
		t.Fatal("another contract was given a log")
	}
	last := int64(0)
	for i := range int64(len(l.rows)) {
		last = 1 + i%10_000
		body := []byte(strings.NewReplacer("K", strings.Repeat("1", int(1+i%4))).Replace(
			`[{"id":K,"randomNumber":7},{"id":10000,"randomNumber":8}]`))
		if text := logged.Requests[0].Expect.Rows.Breach(body); text != "" {
			t.Fatal(text, last)
		}
	}
	seen := map[[2]int64]int{}
	l.Each(func(key, value int64) { seen[[2]int64{key, value}]++ })
	if n := len(l.rows); len(seen) != 5 || seen[[2]int64{10_000, 8}] != n/2 || seen[[2]int64{111, 7}] != n/8 {
		t.Error(seen)
	}
}
