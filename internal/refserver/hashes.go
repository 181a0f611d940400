package refserver

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// hashZeros makes hashes do the work of go-web-framework-benchmark's CPU-bound handlers: 10,278 SHA-256
// hashes.
const hashZeros = 15

// hashes hashes "hello world " followed by a number, counting from 0, until a hash begins with this many zero
// bits. It returns the number of hashes.
func hashes(zeros int) (n int) {
	text := append(make([]byte, 0, 32), "hello world "...)
	for first := ^uint32(0); first>>(32-zeros) > 0; n++ {
		sum := sha256.Sum256(strconv.AppendInt(text, int64(n), 10))
		first = binary.BigEndian.Uint32(sum[:])
	}
	return n
}
