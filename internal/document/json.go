package document

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
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

// Number is a float that JSON can hold: null unless it is finite.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return json.Marshal(x)
	}
	return []byte("null"), nil
}

// OrNull is a text that JSON shows as null if it is empty.
type OrNull string

func (s OrNull) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}
