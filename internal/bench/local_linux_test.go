package bench

import (
	"os"
	"testing"
)

// TestLocalLeavesNoFiles: an agent serves many runs in one process.
func TestLocalLeavesNoFiles(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	before := files()
	for range 20 {
		l, err := NewLocal(LocalOptions{Root: t.TempDir(), Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	if after := files(); after >= before+20 {
		t.Errorf("%d files are open; before 20 runs there were %d", after, before)
	}
}
