package audit_test

import (
	"fmt"

	"dyno/internal/audit"
	"dyno/internal/importer"
)

// A closed loop over 125 connections has at most 125 requests in flight, and not much fewer.
func ExampleExamine() {
	table := "contestant,connections,rps,latency_ms\niris,125,26657,1.18\n"
	doc, err := importer.Read("article.csv", []byte(table), "csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range audit.Examine([]*importer.Document{doc}).Findings {
		fmt.Printf("%s, %s: %s\n", f.Rule, f.Verdict, f.Text)
	}
	// Output:
	// R2, impossible: 26,657/s × 1.18 ms = 31 requests in flight, of 125 connections
}
