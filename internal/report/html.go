package report

import "io"

func HTML(w io.Writer, d *Data) error { return nil }
