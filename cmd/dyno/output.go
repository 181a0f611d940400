package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/document"
	"dyno/internal/foreign"
)

// output says where a result goes, and in which form: one form to stdout, and that of each file's extension
// into the file.
type output struct {
	Format  string
	Outputs []string
	files   []*os.File
	fresh   []string // files that open made, and that are still empty
}

// extensions name the forms of files.
var extensions = map[string]string{".csv": "csv", ".html": "html", ".json": "json", ".md": "markdown", ".svg": "svg",
	".txt": "text"}

// open opens the files before anything is measured, because an error afterwards would lose the result. A file
// keeps its old content until write, so that a command that fails to start does not destroy it. forms are those
// that the result has.
func (o *output) open(forms []string) error {
	o.Format = cmp.Or(o.Format, "text")
	if !slices.Contains(forms, o.Format) {
		near := conf.Nearest(o.Format, forms)
		if near != "" {
			near = fmt.Sprintf("; did you mean %q?", near)
		}
		return usagef("--format %s: this result has the forms %s%s", o.Format, strings.Join(forms, ", "), near)
	}
	for _, name := range o.Outputs {
		if form := extensions[filepath.Ext(name)]; !slices.Contains(forms, form) {
			var want []string
			for extension, form := range extensions {
				if slices.Contains(forms, form) {
					want = append(want, extension)
				}
			}
			slices.Sort(want)
			return usagef("--output %s: want a file name that ends in %s, which says the form; for standard output use --format",
				name, strings.Join(want, ", "))
		}
	}
	for _, name := range o.Outputs {
		_, absent := os.Stat(name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			o.close()
			return usagef("--output: %w", err)
		}
		o.files = append(o.files, f)
		if errors.Is(absent, fs.ErrNotExist) {
			o.fresh = append(o.fresh, name)
		}
	}
	return nil
}

// write calls draw for stdout and for each file, with the form. It names the files on stderr.
func (o *output) write(stdout io.Writer, draw func(w io.Writer, form string) error) error {
	failed := draw(stdout, o.Format)
	o.fresh = nil
	for _, f := range o.files {
		var text bytes.Buffer
		err := draw(&text, extensions[filepath.Ext(f.Name())])
		if info, no := f.Stat(); err == nil && no == nil && info.Mode().IsRegular() {
			err = f.Truncate(0)
		}
		if err == nil {
			_, err = f.Write(foreign.Hide(text.Bytes()))
		}
		if err == nil {
			fmt.Fprintln(os.Stderr, "written: "+f.Name())
		}
		failed = errors.Join(failed, err)
	}
	return errors.Join(failed, o.close())
}

// documentForms are the forms of a document and its data.
var documentForms = []string{"html", "json", "markdown", "text"}

// document writes a document, and in JSON its data, in the forms that the flags name.
func (o *output) document(stdout io.Writer, d *document.Document, data any) error {
	return o.write(stdout, func(w io.Writer, form string) error {
		shown := document.Options{}
		if w == stdout && isTerminal(w) { // a pipe gets whole lines
			shown.Width, shown.Color = width(w), colored(w)
		}
		switch form {
		case "html":
			return document.HTML(w, d)
		case "json":
			return document.JSON(w, data)
		case "markdown":
			return document.Markdown(w, d, 3)
		}
		return document.Text(w, d, shown)
	})
}

// close closes the files, and removes those that open made for nothing. It may be called again.
func (o *output) close() (failed error) {
	for _, f := range o.files {
		failed = errors.Join(failed, f.Close())
	}
	for _, name := range o.fresh {
		failed = errors.Join(failed, os.Remove(name))
	}
	o.files, o.fresh = nil, nil
	return failed
}
