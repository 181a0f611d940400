//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

const intro = `# Performance

Made by ` + "`go run ./loadgen-benchmark`" + ` from loadgen-benchmark/results.json; do not edit. Each bar
was set before its row was measured. A bar is met if the whole 95 %% interval keeps it. In a race the
null server, over TLS and in HTTP/2 nginx, has CPU 0, and the generators take turns on CPU 1, in
random order within a pair. A pair is discarded if other programs took more than %.0f %% of the two
CPUs, whatever its ratio. Where the server's CPU was more than %.0f %% busy under either generator, in
the median window, the server limits both: then the row of the CPU per request is judged, and the row
of the requests per second is not. Intervals are of 95 %%; those of lag are intervals
of the median.

`

func writePage(file string, all []experiment, kept *results) error {
	return os.WriteFile(file, page(all, kept), 0o644)
}

// page renders the rows, their results and the notes.
func page(all []experiment, kept *results) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, intro, 100*voids, 100*saturated)
	m := kept.Machine
	if m.CPU != "" {
		virtual := ""
		if m.Hypervisor != "" {
			virtual = ", a virtual machine (" + m.Hypervisor + ")"
		}
		fmt.Fprintf(&b, "Machine: %s, %d CPUs%s; %s, %s; "+
			"%s.\n", m.CPU, m.CPUs, virtual, m.OS, strings.Join(kernels(kept), " and "), m.Go)
	}
	if peers := versions(kept); len(peers) > 0 {
		fmt.Fprintf(&b, "Compared with: %s.\n", strings.Join(peers, ", "))
	}
	b.WriteString("\n| row | what | bar | measured (95 % interval) | valid of all | met | dyno |\n" +
		"|---|---|---|---|---|---|---|\n")
	var remarks []string
	for _, e := range all {
		for _, row := range e.rows {
			r := kept.get(row.name)
			if r == nil {
				fmt.Fprintf(&b, "| %s | %s | %s | not measured | | | |\n", row.name, row.what, row.barText())
				continue
			}
			count, met := "", "**no**"
			if r.Reason == "" {
				count = fmt.Sprintf("%d of %d", r.Valid, r.All)
			}
			switch {
			case r.Reason != "":
				met = "not shown"
			case row.bar.kind == shown:
				met = "–"
			case !row.judges(r):
				met = "not judged"
			case row.met(r):
				met = "yes"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s, %s |\n", row.name, row.what, row.barText(),
				strings.ReplaceAll(row.resultText(r), "|", `\|`), count, met, r.Commit, r.At.Format("2006-01-02"))
			if r.Detail != "" {
				remarks = append(remarks, fmt.Sprintf("- %s: %s", row.name, r.Detail))
			}
		}
	}
	if lines := noteLines(all); len(lines) > 0 {
		b.WriteString("\n## Notes\n\n" + strings.Join(lines, "\n") + "\n")
	}
	if len(remarks) > 0 {
		b.WriteString("\n## Further observations\n\n" + strings.Join(remarks, "\n") + "\n")
	}
	return b.Bytes()
}

// noteLines returns the notes in row order.
func noteLines(all []experiment) (lines []string) {
	for _, e := range all {
		for _, row := range e.rows {
			if n := notes[row.name]; n != "" {
				lines = append(lines, "- "+row.name+": "+n)
			}
		}
	}
	return lines
}

func kernels(kept *results) []string {
	all := []string{kept.Machine.Kernel}
	for _, r := range kept.Rows {
		if r.Kernel != "" && !slices.Contains(all, r.Kernel) {
			all = append(all, r.Kernel)
		}
	}
	return all
}

func versions(kept *results) (peers []string) {
	for _, r := range kept.Rows {
		if r.Peer != "" && !slices.Contains(peers, r.Peer) {
			peers = append(peers, r.Peer)
		}
	}
	return peers
}
