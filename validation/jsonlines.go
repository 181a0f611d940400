package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// readLines reads JSON lines and skips empty ones. An error from valid rejects a line. name is the file name
// in errors.
func readLines[T any](r io.Reader, name string, valid func(*T) error) (all []T, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var x T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&x); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; if the line is incomplete, delete it", name, n, err)
		}
		if err := valid(&x); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, x)
	}
	return all, lines.Err()
}
