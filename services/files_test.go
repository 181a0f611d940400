package services

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/contestant"
)

// TestFiles checks that each contestant of these scenarios reads and appends files: it answers with what
// the file holds now, and what it is sent stands at the end of its file.
func TestFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := contestant.List(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *contestant.Manifest) bool {
		return !slices.Contains(m.Scenarios, "file-append")
	})
	if len(all) < 5 {
		t.Fatalf("%d contestants", len(all))
	}
	for _, m := range sampled(all, 1) {
		t.Run(m.Name, func(t *testing.T) {
			dir := t.TempDir()
			server := startIn(t, dir, root, m, "", "/file")
			if text, status, _ := get(t, server+"/file"); status != http.StatusOK || len(text) != 10<<10 {
				t.Errorf("the file: status %d, %d bytes", status, len(text))
			}
			if err := os.WriteFile(found(t, dir, "page.txt"), []byte("another text"), 0o600); err != nil {
				t.Fatal(err)
			}
			if text, _, _ := get(t, server+"/file"); string(text) != "another text" {
				t.Errorf("the file has changed; the answer is %.20s", text)
			}
			var sent bytes.Buffer
			for _, part := range []string{"a", "b", "c"} {
				part = strings.Repeat(part, 4<<10)
				sent.WriteString(part)
				resp, err := client.Post(server+"/append", "text/plain", strings.NewReader(part))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("append: %s", resp.Status)
				}
			}
			if text, err := os.ReadFile(found(t, dir, "requests.log")); err != nil || !bytes.Equal(text, sent.Bytes()) {
				t.Errorf("%d bytes were sent, %d stand in the file (%v)", sent.Len(), len(text), err)
			}
		})
	}
}

// found is the file of that name below dir.
func found(t *testing.T, dir, name string) (file string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			file = path
		}
		return err
	})
	if err != nil || file == "" {
		t.Fatalf("no %s below %s (%v)", name, dir, err)
	}
	return file
}
