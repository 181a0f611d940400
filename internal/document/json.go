package document

import (
	"bytes"
	"encoding/json"
	"io"
)

// JSON writes a tagged struct as one indented object, and leaves < and & in commands and reasons as
// they are. What programs read is data, not a Document: its figures are whole, and its keys are
// documented in doc/format.md.
func JSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
