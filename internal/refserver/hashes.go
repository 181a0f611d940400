package refserver

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// hashZeros makes hashes the work of go-web-framework-benchmark's CPU-bound handlers: 10,278 of
// SHA-256.
const hashZeros = 15

// hashes returns the number of hashes of "hello world " and a number, counting from 0, until one
// begins with a given number of zero bits.
func hashes(zeros int) (n int) {
	text := append(make([]byte, 0, 32), "hello world "...)
	for first := ^uint32(0); first>>(32-zeros) > 0; n++ {
		sum := sha256.Sum256(strconv.AppendInt(text, int64(n), 10))
		first = binary.BigEndian.Uint32(sum[:])
	}
	return n
}
