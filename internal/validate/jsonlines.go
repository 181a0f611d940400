package validate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// renamed maps keys and values of older lines to their present names.
var renamed = [][2]string{
	{`"looks":`, `"interim_analyses":`}, {`"void_share":`, `"discarded_share":`},
	{`"verdict":"tie"`, `"verdict":"equivalent"`}, {`"verdict":"undecided"`, `"verdict":"inconclusive"`},
}

// readLines reads a file of JSON lines and skips empty lines. It accepts the old names in renamed.
// valid may reject a line. name is the file name for errors.
func readLines[T any](r io.Reader, name string, valid func(*T) error) (all []T, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		for _, r := range renamed {
			line = bytes.ReplaceAll(line, []byte(r[0]), []byte(r[1]))
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
