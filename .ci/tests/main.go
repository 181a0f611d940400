// Command tests runs go test, shows what it shows, and keeps account of the tests that were skipped, and why.
// A few tests that failed run once more, alone: what passes then depends on how busy the machine is. It is
// listed, and does not fail the run. A data race, a panic or a package that does not build does.
//
//	tests ACCOUNT ARGUMENTS-OF-GO-TEST…   runs, and adds to the file ACCOUNT
//	tests ACCOUNT                         lists the tests that no run in ACCOUNT has run
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: tests ACCOUNT [ARGUMENTS-OF-GO-TEST…]")
		os.Exit(2)
	}
	err := do(os.Args[1], os.Args[2:])
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(max(1, exit.ExitCode()))
	case err != nil:
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(1)
	}
}

func do(account string, args []string) error {
	if len(args) == 0 {
		return list(os.Stdout, account)
	}
	file, err := os.OpenFile(account, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	kept := json.NewEncoder(file)
	first, err := run(kept, args)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !first.mayRepeat() {
		return err
	}
	for _, t := range first.leaves() {
		fmt.Printf("once more, alone: %s %s\n", t.Package, t.Test)
		if _, err := run(kept, again(args, t)); err != nil {
			return err
		}
		if err := kept.Encode(outcome{Package: t.Package, Test: t.Test, Failed: true}); err != nil {
			return err
		}
	}
	return nil
}

// run runs go test and follows it.
func run(account *json.Encoder, args []string) (*follower, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &follower{
		out: os.Stdout, account: account, verbose: slices.Contains(args, "-v"), packages: map[string][]event{},
	}
	followed := f.follow(out)
	io.Copy(io.Discard, out)
	return f, errors.Join(cmd.Wait(), followed)
}

// again returns the arguments that run one test with the flags of args.
func again(args []string, t event) []string {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "./") })
	parts := strings.Split(t.Test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return append(args, "-count=1", "-run", strings.Join(parts, "/"), t.Package)
}

// event is one line of go test -json (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds; of the event that ends it
}

// outcome is a line of the account: of one test in one run.
type outcome struct {
	Package, Test string
	Skipped       string  `json:",omitempty"` // why; empty: it ran
	Failed        bool    `json:",omitempty"` // once, and passed alone
	Seconds       float64 `json:",omitempty"`
}

// follower shows the events of one run as go test without -json does.
type follower struct {
	out      io.Writer
	account  *json.Encoder
	verbose  bool
	packages map[string][]event // what each wrote so far
	failed   []event            // tests, the parts of one before it
	broken   bool               // something failed that no test is to blame for, or that may not be repeated
}

// fewTests is how many failed tests may run again: where more fail, something is wrong.
const fewTests = 4

// mayRepeat reports whether the failed tests may run once more.
func (f *follower) mayRepeat() bool {
	return !f.broken && len(f.leaves()) <= fewTests && len(f.failed) > 0
}

// leaves returns the tests that failed without a failed part.
func (f *follower) leaves() (list []event) {
	for _, t := range f.failed {
		if !slices.ContainsFunc(f.failed, func(o event) bool {
			return o.Package == t.Package && strings.HasPrefix(o.Test, t.Test+"/")
		}) {
			list = append(list, t)
		}
	}
	return list
}

func (f *follower) follow(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil { // go's own words
				f.out.Write(line)
			} else if err := f.take(e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f *follower) take(e event) error {
	switch e.Action {
	case "build-output":
		_, err := io.WriteString(f.out, e.Output)
		return err
	case "output":
		f.broken = f.broken || strings.Contains(e.Output, "DATA RACE") || strings.HasPrefix(e.Output, "panic: ")
		if f.verbose {
			io.WriteString(f.out, e.Output)
		}
		f.packages[e.Package] = append(f.packages[e.Package], e)
	case "pass", "fail", "skip":
		if e.Test == "" {
			f.broken = f.broken || e.Action == "fail" &&
				!slices.ContainsFunc(f.failed, func(t event) bool { return t.Package == e.Package })
			f.show(e)
			return nil
		}
		if e.Action == "fail" {
			f.failed = append(f.failed, e)
		}
		return f.ended(e)
	}
	return nil
}

// ended keeps account of a test, and forgets what it wrote unless it failed.
func (f *follower) ended(e event) error {
	o := outcome{Package: e.Package, Test: e.Test, Seconds: e.Elapsed}
	if e.Action == "skip" {
		o.Skipped = reason(f.packages[e.Package], e.Test)
	}
	if e.Action != "fail" {
		f.packages[e.Package] = slices.DeleteFunc(f.packages[e.Package], func(w event) bool { return w.Test == e.Test })
	}
	return f.account.Encode(o)
}

// show writes what is left to say of a package that ended.
func (f *follower) show(e event) {
	for _, w := range f.packages[e.Package] {
		closing := strings.HasPrefix(w.Output, "ok ") || strings.HasPrefix(w.Output, "? ")
		framing := strings.HasPrefix(w.Output, "=== ") || e.Action != "fail" && !closing
		if !f.verbose && !framing {
			io.WriteString(f.out, w.Output)
		}
	}
	delete(f.packages, e.Package)
}

// place is what the testing package puts before a message.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason is what a skipped test wrote.
func reason(written []event, test string) string {
	var words []string
	for _, w := range written {
		text := strings.TrimSpace(w.Output)
		if w.Test == test && text != "" && !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- ") {
			words = append(words, place.ReplaceAllString(text, ""))
		}
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}

// long is how many seconds a test takes that list names. Tests run side by side: the sum says nothing.
const long = 15

// list names the tests that were skipped in every run of the account that came to them, and the longest.
func list(w io.Writer, account string) error {
	file, err := os.Open(account)
	if err != nil {
		return err
	}
	defer file.Close()
	type test struct{ Package, Test string }
	skipped, ran := map[test]string{}, map[test]bool{}
	var unsteady []string
	var longest []outcome
	for d := json.NewDecoder(file); ; {
		var o outcome
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if o.Failed {
			unsteady = append(unsteady, o.Package+" "+o.Test+"\n")
		}
		if o.Seconds >= long && !strings.Contains(o.Test, "/") {
			longest = append(longest, o)
		}
		if o.Skipped == "" {
			ran[test{o.Package, o.Test}] = true
		} else if t := (test{o.Package, o.Test}); skipped[t] == "" {
			skipped[t] = o.Skipped
		}
	}
	var lines []string
	for t, why := range skipped {
		if !ran[t] {
			lines = append(lines, fmt.Sprintf("%s %s: %s\n", t.Package, t.Test, why))
		}
	}
	slices.Sort(lines)
	_, err = fmt.Fprintf(w, "tests skipped in every run: %d\n%s", len(lines), strings.Join(lines, ""))
	if len(unsteady) > 0 {
		fmt.Fprintf(w, "tests that failed, and passed alone: %d\n%s", len(unsteady), strings.Join(unsteady, ""))
	}
	slices.SortFunc(longest, func(a, b outcome) int { return cmp.Compare(b.Seconds, a.Seconds) })
	for i, o := range longest {
		if i == 0 {
			fmt.Fprintf(w, "tests of %d s and longer: %d\n", long, len(longest))
		}
		fmt.Fprintf(w, "%4.0f s %s %s\n", o.Seconds, o.Package, o.Test)
	}
	return err
}
