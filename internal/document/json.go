package document

import (
	"bytes"
	"encoding/json"
	"io"
)

// JSON writes a tagged struct as one indented object, and leaves < and & in commands and reasons as
// they are. Programs read this data instead of a Document: figures are not rounded, and
// doc/format.md documents the keys.
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
