package harness

import (
	"crypto/sha256"
	"log"
	"os"
	"strconv"
	"time"
)

var (
	delay    = delayFromEnv()
	computes = computesFromEnv()
)

// Work delays an answer: it waits DYNO_DELAY, and hashes if DYNO_WORK is cpu. Without either it returns
// at once.
func Work() {
	time.Sleep(delay)
	if computes {
		hashes(15)
	}
}

// hashes is the CPU-bound handler of go-web-framework-benchmark: SHA-256 of "hello world " and a
// nonce, from 0 until the hash, a 256-bit number, is below 2^(256-zeros). It returns the number of
// hashes: 10,278 for 15 zeros.
func hashes(zeros int) int {
	text := append(make([]byte, 0, 32), "hello world "...)
	for nonce := 0; ; nonce++ {
		sum := sha256.Sum256(strconv.AppendInt(text, int64(nonce), 10))
		if (uint32(sum[0])<<24|uint32(sum[1])<<16|uint32(sum[2])<<8|uint32(sum[3]))>>(32-zeros) == 0 {
			return nonce + 1
		}
	}
}

// delayFromEnv returns DYNO_DELAY, or zero if it is not set.
func delayFromEnv() time.Duration {
	text := os.Getenv("DYNO_DELAY")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		log.Fatalf("read DYNO_DELAY: %v", err)
	}
	return d
}

// computesFromEnv reports whether DYNO_WORK asks for hashing.
func computesFromEnv() bool {
	w := os.Getenv("DYNO_WORK")
	if w != "" && w != "cpu" {
		log.Fatalf("read DYNO_WORK: %q: want cpu or nothing", w)
	}
	return w == "cpu"
}
