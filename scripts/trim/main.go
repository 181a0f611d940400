// Command trim writes a compressed copy of a run, small enough to commit, with the same reports and verdicts:
//
//	go run ./scripts/trim runs/20260904T120000Z >studies/iris-vs-netcore-mvc/trials.jsonl.gz
package main

import (
	"fmt"
	"os"

	"dyno/internal/record"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/trim RUN >trials.jsonl.gz")
		os.Exit(2)
	}
	run, err := record.Open(os.Args[1])
	if err == nil {
		err = trim(os.Stdout, run)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trim:", err)
		os.Exit(1)
	}
}
