package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const short = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: builds a program\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: log of one that passes\n"}
{"Action":"output","Package":"p","Test":"TestB/c","Output":"        b_test.go:9: needs packages: error NU1301\n"}
{"Action":"skip","Package":"p","Test":"TestB/c"}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":20.4}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.010s\n"}
{"Action":"pass","Package":"p","Elapsed":0.01}
{"Action":"output","Package":"q","Test":"TestD","Output":"=== RUN   TestD\n"}
{"Action":"output","Package":"q","Test":"TestD","Output":"    d_test.go:3: wrong\n"}
{"Action":"output","Package":"q","Test":"TestD","Output":"--- FAIL: TestD (0.00s)\n"}
{"Action":"fail","Package":"q","Test":"TestD"}
{"Action":"output","Package":"q","Output":"FAIL\n"}
{"Action":"output","Package":"q","Output":"FAIL\tq\t0.010s\n"}
{"Action":"fail","Package":"q"}
{"Action":"output","Package":"r","Output":"?   \tr\t[no test files]\n"}
{"Action":"skip","Package":"r"}
{"ImportPath":"s","Action":"build-output","Output":"s.go:1: undefined: x\n"}
words of go itself
`

// It shows what go test shows without -json, and lists with its reason what no run has run.
func TestFollow(t *testing.T) {
	account := filepath.Join(t.TempDir(), "account")
	run := func(text string) string {
		file, err := os.OpenFile(account, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var out bytes.Buffer
		f := follower{out: &out, account: json.NewEncoder(file), packages: map[string][]event{}}
		if err := f.follow(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const shown = "ok  \tp\t0.010s\n" +
		"    d_test.go:3: wrong\n--- FAIL: TestD (0.00s)\nFAIL\nFAIL\tq\t0.010s\n" +
		"?   \tr\t[no test files]\ns.go:1: undefined: x\nwords of go itself\n"
	if got := run(short); got != shown {
		t.Errorf("it shows\n%s\nwant\n%s", got, shown)
	}
	const longest = "tests of 15 s and longer: 1\n  20 s p TestB\n"
	for _, want := range []string{
		"tests skipped in every run: 2\np TestA: builds a program\np TestB/c: needs packages: error NU1301\n" + longest,
		"tests skipped in every run: 1\np TestB/c: needs packages: error NU1301\n" + longest,
	} {
		var out bytes.Buffer
		if err := list(&out, account); err != nil || out.String() != want {
			t.Errorf("listed\n%s\nwant\n%s%v", &out, want, err)
		}
		run(`{"Action":"pass","Package":"p","Test":"TestA"}` + "\n") // by another run
	}
}

// What fails once and passes alone is listed; what fails twice, races, panics or does not build fails.
func TestOnceMore(t *testing.T) {
	const first = `func first(t *testing.T) bool {
	_, err := os.Stat("been")
	os.WriteFile("been", nil, 0o644)
	return err != nil
}
`
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"unsteady": {first + `func TestA(t *testing.T) {
			t.Run("b/c d", func(t *testing.T) { if first(t) { t.Error("busy") } })
		}`, true},
		"wrong":  {`func TestA(t *testing.T) { t.Error("wrong", os.Args[0] != "") }`, false},
		"panic":  {first + `func TestA(t *testing.T) { if first(t) { panic("lost") } }`, false},
		"race":   {first + `func TestA(t *testing.T) { if first(t) { t.Error("WARNING: DATA RACE") } }`, false},
		"broken": {`func TestA(t *testing.T) { undefined(os.Args) }`, false},
		"many": {first + `func TestA(t *testing.T) {
	once := first(t)
	for _, n := range []string{"a", "b", "c", "d", "e"} { t.Run(n, func(t *testing.T) { if once { t.Error("all") } }) }
}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n",
				"a_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" + c.body} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			account := filepath.Join(t.TempDir(), "account")
			if err := do(account, []string{"./..."}); (err == nil) != c.ok {
				t.Errorf("%v", err)
			}
			var out bytes.Buffer
			if err := list(&out, account); err != nil ||
				strings.Contains(out.String(), "failed, and passed alone: 1\nm TestA/b/c_d\n") != c.ok {
				t.Errorf("%v: %s", err, &out)
			}
		})
	}
}
