package harness

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"sync"
	"time"
)

// Of the scenarios file-read and file-append.
const (
	fileName, logName = "page.txt", "requests.log" // in the working directory
	lines             = 160                        // of 64 bytes, in the file
	logLimit          = 64 << 20                   // bytes, from which on the log begins anew
)

// File is the path of a file of 10 KB, which a handler reads for each answer. It is made at the first
// call.
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

// Log is a file that is open for appending, to which a handler writes what it is sent. It is opened at
// the first call, and emptied where it has grown beyond 64 MB.
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
