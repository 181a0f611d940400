// Package conf reads hand-written TOML strictly: an unknown key is an error with its place and a
// suggestion.
//
// Every error in a readable file is an *Error, or several joined errors, so that each displayed
// line begins with path:line:column. A File keeps the positions of its keys, for the caller's
// checks.
package conf

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Error is a mistake in a file, with its position. Line and Column count from 1, Column in bytes,
// as in compilers.
type Error struct {
	Path   string
	Line   int
	Column int
	Text   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Text)
}

// File has the positions of a file's keys. The zero value has no keys.
type File struct {
	Path string // as given to Read
	root *node
}

// Read decodes the TOML file path in fsys into the struct that into points to, by its `toml` tags.
// A tag matches exactly; a field without a tag matches its name in any case.
//
// The error lists all unknown keys, in file order, and the first value with a wrong type. After a
// syntax error there are no further errors. On error *into may be partly filled.
func Read(fsys fs.FS, path string, into any) (*File, error) {
	data, err := readAll(fsys, path)
	if err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err // its operation and path would repeat ours
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return parse(path, data, into)
}

// mostBytes is the largest file size that Read accepts; a hand-written file has some kilobytes.
const mostBytes = 4 << 20

func readAll(fsys fs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if len(data) > mostBytes {
		err = fmt.Errorf("it is longer than %d MB", mostBytes>>20)
	}
	return data, err
}

// parse does the same as Read for text that has been read already; path only names it in errors.
func parse(path string, data []byte, into any) (*File, error) {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return nil, fmt.Errorf("read %s: the target is a %T, not a pointer", path, into)
	}
	root, err := places(path, data)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, root: root}
	var all []error
	for _, e := range f.unknown(root, target.Type()) {
		all = append(all, e)
	}
	if err := errors.Join(append(all, f.decode(data, into))...); err != nil {
		return nil, err
	}
	return f, nil
}

// Errorf returns an error at key's position. A key is dotted, with [n] for array entry n from 0:
// "request[1].path". If the file does not set the key, the position is the nearest enclosing table
// or array, or else 1:1.
func (f *File) Errorf(key, format string, args ...any) error {
	e := &Error{Path: f.Path, Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if n, _ := f.root.find(splitKey(key)); n != nil && n.line > 0 {
		e.Line, e.Column = n.line, n.column
	}
	return e
}

// Has reports whether the file sets key, which is written as for Errorf.
func (f *File) Has(key string) bool {
	_, ok := f.root.find(splitKey(key))
	return ok
}

// decode fills into, and converts go-toml errors to *Error.
func (f *File) decode(data []byte, into any) error {
	err := toml.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return &Error{Path: f.Path, Line: 1, Column: 1, Text: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	e := &Error{Path: f.Path, Text: strings.TrimPrefix(at.Error(), "toml: ")}
	e.Line, e.Column = at.Position()
	if got, found := strings.CutPrefix(e.Text, "cannot decode TOML "); found {
		got, into, _ := strings.Cut(got, " into ")
		want := strings.TrimLeft(into[strings.LastIndexByte(into, ' ')+1:], "*")
		if strings.HasSuffix(want, "}") || strings.HasPrefix(want, "map") {
			want = "a table"
		}
		e.Text = fmt.Sprintf("%q must be %s, not %s", strings.Join(at.Key(), "."), want, got)
	}
	return e
}

// unknown returns an error for each key below n that type t has no field for, in file order.
func (f *File) unknown(n *node, t reflect.Type) []*Error {
	var found []*Error
	f.walk(n, t, &found)
	slices.SortFunc(found, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found
}

// walk adds the errors for unknown, in any order.
func (f *File) walk(n *node, t reflect.Type, found *[]*Error) {
	t = deref(t)
	if opaque(t) {
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		for _, item := range n.items {
			f.walk(item, t.Elem(), found)
		}
	case reflect.Map:
		for _, child := range n.keys {
			f.walk(child, t.Elem(), found)
		}
	case reflect.Struct:
		known := fields(t)
		for name, child := range n.keys {
			if field, ok := lookup(known, name); ok {
				f.walk(child, field.typ, found)
				continue
			}
			text := fmt.Sprintf("unknown key %q", name)
			var names []string
			for _, k := range known {
				names = append(names, k.name)
			}
			if near := Nearest(name, names); near != "" {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			*found = append(*found, &Error{Path: f.Path, Line: child.line, Column: child.column, Text: text})
		}
	}
}
