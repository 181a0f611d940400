// Package conf reads hand-written TOML strictly: an unknown key is an error with its place and a suggestion.
//
// Every error of a file that could be read is an *Error, or several of them joined, so that each line a person sees starts with
// path:line:column. What has been read keeps its places, for the checks that only the caller can make.
package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Error is one mistake in a file, and where it is. Line and Column count from 1, Column in bytes, as compilers do.
type Error struct {
	Path   string
	Line   int
	Column int
	Text   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Text)
}

// File is where each key of a file stands. The zero value knows no key.
type File struct {
	Path string // as given to Read
	root *node
}

// Read decodes the TOML file path of fsys into the struct that into points to, by its `toml` tags. Keys match case and all; a field without a
// tag matches its name in any case. All unknown keys are reported at once, in the order of the file; a value of the wrong type or a
// mistake in the syntax is reported too, the first of them. On error *into may be partly filled.
func Read(fsys fs.FS, path string, into any) (*File, error) {
	data, err := fs.ReadFile(fsys, path)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err // its operation and path would repeat ours
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return Parse(path, data, into)
}

// Parse is Read for text that is already at hand; path only names it in errors.
func Parse(path string, data []byte, into any) (*File, error) {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return nil, fmt.Errorf("read %s: the target is a %T, not a pointer", path, into)
	}
	root, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, root: root}
	unknown := f.unknown(root, target.Type())
	err = f.decode(data, into)
	if len(unknown) == 0 && err == nil {
		return f, nil
	}
	all := make([]error, 0, len(unknown)+1)
	for _, e := range unknown {
		all = append(all, e)
	}
	if err != nil {
		all = append(all, err)
	}
	return nil, errors.Join(all...)
}

// Errorf makes an error at the place of key, which is dotted, with [n] for the nth entry of an array from 0: "request[1].path". A key that
// is not in the file is placed where the nearest table or array around it starts, and at 1:1 if there is none.
func (f *File) Errorf(key, format string, args ...any) error {
	e := &Error{Path: f.Path, Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if n := f.root.find(splitKey(key)); n != nil && n.line > 0 {
		e.Line, e.Column = n.line, n.column
	}
	return e
}

// Has reports whether the file sets key, written as for Errorf.
func (f *File) Has(key string) bool {
	steps := splitKey(key)
	n := f.root
	for _, s := range steps {
		if n = n.step(s); n == nil {
			return false
		}
	}
	return true
}

// decode fills into and turns the error of go-toml into ours.
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
		got, _, _ = strings.Cut(got, " into ")
		e.Text = fmt.Sprintf("%q must be %s, not %s", strings.Join(at.Key(), "."), kindAt(reflect.TypeOf(into), at.Key()), article(got))
	}
	return e
}

// unknown returns an error for each key under n that type t has no field for, in the order of the file.
func (f *File) unknown(n *node, t reflect.Type) []*Error {
	var found []*Error
	f.walk(n, t, &found)
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	return found
}

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
		for _, name := range n.order {
			f.walk(n.keys[name], t.Elem(), found)
		}
	case reflect.Struct:
		known := fields(t)
		for _, name := range n.order {
			child := n.keys[name]
			if field, ok := lookup(known, name); ok {
				f.walk(child, field.typ, found)
				continue
			}
			text := fmt.Sprintf("unknown key %q", name)
			if near := Nearest(name, names(known)); near != "" {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			*found = append(*found, &Error{Path: f.Path, Line: child.line, Column: child.column, Text: text})
		}
	}
}
