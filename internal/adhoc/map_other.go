//go:build !unix

package adhoc

import "os"

// mapped is not to be had here: files are read.
func mapped(*os.File, int64) (string, bool) { return "", false }
