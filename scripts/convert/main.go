// Command convert reads a record in format 1, 2 or 3, as in this repository's history, and writes it in format 3,
// the only format that dyno reads:
//
//	git show COMMIT:studies/iris-vs-netcore-mvc/trials.jsonl.gz | gunzip | go run ./scripts/convert >trials.jsonl
//
// With -validation it reads lines from validation/live.jsonl, steady.jsonl or best_of_three.jsonl. A
// truncated or damaged record is an error, but the old digest is not checked if anything is converted. The
// new record gets a new digest.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"dyno/internal/record"
)

func main() {
	do := convert
	if len(os.Args) == 2 && os.Args[1] == "-validation" {
		do = convertValidation
	} else if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/convert [-validation] <OLD >NEW")
		os.Exit(2)
	}
	if err := do(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

// keys are the keys in format 1 that were renamed, wherever they occur.
var keys = [][2]string{
	{"companion", "backend"},
	{"driver", "external"},
	{"looks", "interim_analyses"},
	{"side_epochs", "extra_epochs"},
	{"told", "reported"},
	{"foreign_server_ns", "background_server_ns"},
	{"foreign_generator_ns", "background_generator_ns"},
}

// oneTool matches the external tool in a plan that has one, given by name alone.
var oneTool = regexp.MustCompile(`"external":("[^"]*")`)

// convert writes a record in any format as format 3.
func convert(r io.Reader, w io.Writer) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var head struct {
		Plan *struct{ Format int }
	}
	if err := json.Unmarshal(first, &head); err != nil || head.Plan == nil {
		return errors.New("line 1: no plan of a dyno run")
	}
	if head.Plan.Format >= record.Format {
		run, err := record.Read(bytes.NewReader(text), "standard input")
		if err != nil {
			return err
		}
		return record.Write(w, run)
	}
	first = oneTool.ReplaceAll(renamed(first), []byte(`"external":[$1]`))
	run, n := &record.Run{}, 1
	plan, err := planLine(first)
	if err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	run.Add(record.Record{Plan: plan})
	for line := range bytes.Lines(rest) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var rec record.Record
		if err := json.Unmarshal(renamed(line), &rec); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		renew(&rec)
		run.Add(rec)
	}
	return record.Write(w, run)
}

// renamed renames the keys in a line. A quote within a string follows a backslash, so only a key can match.
func renamed(line []byte) []byte {
	for _, k := range keys {
		line = bytes.ReplaceAll(line, []byte(`"`+k[0]+`":`), []byte(`"`+k[1]+`":`))
	}
	return line
}

// renew converts the values in a record of format 1 or 2.
func renew(r *record.Record) {
	rename := func(value *string, from, to string) {
		if *value == from {
			*value = to
		}
	}
	switch {
	case r.Calibration != nil:
		r.Calibration.Format = record.Format
	case r.Contestant != nil:
		rename(&r.Contestant.Title, "reference, blinded copy", "reference, copy")
	case r.End != nil:
		rename(&r.End.Reason, "looks", "last analysis")
	}
}

// convertValidation converts lines of validation experiments to the present names.
func convertValidation(r io.Reader, w io.Writer) error {
	out, in := bufio.NewWriter(w), bufio.NewScanner(r)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		line := in.Bytes()
		for _, k := range [][2]string{
			{`"looks":`, `"interim_analyses":`}, {`"void_share":`, `"discarded_share":`},
			{`"verdict":"tie"`, `"verdict":"equivalent"`}, {`"verdict":"undecided"`, `"verdict":"inconclusive"`},
		} {
			line = bytes.ReplaceAll(line, []byte(k[0]), []byte(k[1]))
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return errors.Join(in.Err(), out.Flush())
}
