package adhoc

import (
	"crypto/sha256"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"

	"dyno/internal/conf"
)

// formPart is one field of a form.
type formPart struct {
	name, value, file, kind string
}

// readForm returns the body of a form (RFC 7578) in a single copy, and its Content-Type. Fields are
// name=value or name=@FILE, as in curl; behind a file ;type=TYPE says its media type. The boundary
// follows from the fields: the same form is the same body.
func readForm(fields []string) (body, contentType string, err error) {
	var parts []formPart
	size, sum := 0, sha256.New()
	for _, text := range fields {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return "", "", conf.Usagef("--form %q: want name=value or name=@FILE", text)
		}
		p := formPart{name: name, value: value}
		if file, is := strings.CutPrefix(value, "@"); is {
			p.file, p.kind, ok = strings.Cut(file, ";type=")
			if !ok {
				p.kind = "application/octet-stream"
			}
			info, err := os.Stat(p.file)
			if err != nil {
				return "", "", conf.Usagef("--form %s: %w", name, err)
			}
			size += int(info.Size())
		}
		size += len(text) + 256
		fmt.Fprintf(sum, "%q", text)
		parts = append(parts, p)
	}
	var b strings.Builder
	b.Grow(size)
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(fmt.Sprintf("dyno-%x", sum.Sum(nil)[:16])); err != nil {
		return "", "", err
	}
	for _, p := range parts {
		if err := p.write(w); err != nil {
			return "", "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", "", err
	}
	return b.String(), w.FormDataContentType(), nil
}

// write adds the field to the form.
func (p *formPart) write(w *multipart.Writer) error {
	if p.file == "" {
		return w.WriteField(p.name, p.value)
	}
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", multipart.FileContentDisposition(p.name, filepath.Base(p.file)))
	head.Set("Content-Type", p.kind)
	out, err := w.CreatePart(head)
	if err != nil {
		return err
	}
	f, err := os.Open(p.file)
	if err != nil {
		return conf.Usagef("--form %s: %w", p.name, err)
	}
	defer f.Close()
	if _, err := f.WriteTo(out); err != nil {
		return conf.Usagef("--form %s: %w", p.name, err)
	}
	return nil
}
