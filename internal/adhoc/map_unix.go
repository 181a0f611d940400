//go:build unix

package adhoc

import (
	"math"
	"os"
	"syscall"
	"unsafe"
)

// mapped returns the content of a file without reading it, for the life of the process. What the file
// loses meanwhile is lost to it, too: it must not be cut short.
func mapped(f *os.File, size int64) (string, bool) {
	if size > math.MaxInt {
		return "", false
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return "", false
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), true
}
