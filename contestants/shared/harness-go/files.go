package harness

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"sync"
	"time"
)

// For the scenarios file-read and file-append.
const (
	fileName, logName = "page.txt", "requests.log" // in the working directory
	lines             = 160                        // in the file, 64 bytes each
	logLimit          = 64 << 20                   // bytes; a longer log is emptied
)

// File returns the path of a 10 KB file, which a handler reads for each answer. The first call creates
// it.
var File = sync.OnceValue(func() string {
	var text bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&text, "%063d\n", i)
	}
	if err := os.WriteFile(fileName, text.Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}
	return fileName
})

// Log returns a file to which a handler appends request bodies. The first call opens it; from then on,
// it is emptied whenever it exceeds 64 MB.
var Log = sync.OnceValue(func() *os.File {
	f, err := os.OpenFile(logName, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			if st, err := f.Stat(); err == nil && st.Size() > logLimit {
				f.Truncate(0)
			}
		}
	}()
	return f
})
