package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// leaf is a value in a JSON document that is neither object nor array.
type leaf struct {
	path         []string // keys, and indices as numbers
	text         string   // "" for null
	line, column int
}

// leaves returns the values in a JSON document with their positions.
func leaves(data []byte) ([]leaf, error) {
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
	w.UseNumber()
	if err := w.value(nil); err != nil {
		offset := int(w.InputOffset())
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			offset = int(bad.Offset) - 1
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		line, column := w.place(offset)
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return w.list, nil
}

// deepest is the maximum nesting depth of objects and arrays.
const deepest = 32

// walker reads a JSON document token by token. The decoder does not know lines, so the walker
// counts them: line begins at lineStart, and counts the line ends before offset seen.
type walker struct {
	*json.Decoder
	data []byte
	list []leaf

	line, lineStart, seen int
}

// place converts an offset to line and column. Offsets must not decrease; a smaller one counts as
// the previous one.
func (w *walker) place(offset int) (line, column int) {
	offset = min(max(offset, w.seen), len(w.data))
	passed := w.data[w.seen:offset]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		w.line, w.lineStart = w.line+bytes.Count(passed, []byte("\n")), w.seen+i+1
	}
	w.seen = offset
	return w.line, offset - w.lineStart + 1
}

// value appends the leaves of the next value, whose path is given.
func (w *walker) value(path []string) error {
	rest := w.data[w.InputOffset():]
	start := len(w.data) - len(bytes.TrimLeft(rest, " \t\r\n,:")) // start of the next token
	token, err := w.Token()
	if err != nil {
		return err
	}
	if len(path) > deepest {
		return fmt.Errorf("more than %d levels deep", deepest)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		text := ""
		if token != nil {
			text = fmt.Sprint(token)
		}
		line, column := w.place(start)
		w.list = append(w.list, leaf{path, text, line, column})
		return nil
	}
	for i := 0; w.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			name, err := w.Token()
			if err != nil {
				return err
			}
			key, _ = name.(string)
		}
		if err := w.value(append(path[:len(path):len(path)], key)); err != nil {
			return err
		}
	}
	_, err = w.Token()
	return err
}

// byPath indexes leaves by path, with dots between the keys.
func byPath(list []leaf) map[string]leaf {
	m := make(map[string]leaf, len(list))
	for _, l := range list {
		m[strings.Join(l.path, ".")] = l
	}
	return m
}
