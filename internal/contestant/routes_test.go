package contestant

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
)

// TestNetHTTPStandsAlone: net-http is what people copy to begin with, so it has a copy of its own of what the others share.
func TestNetHTTPStandsAlone(t *testing.T) {
	shared, own := os.DirFS("../../contestants/shared/routes"), os.DirFS("../../contestants/go/net-http/routes")
	files := 0
	err := fs.WalkDir(shared, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		want, err := fs.ReadFile(shared, name)
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(own, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("contestants/go/net-http/routes/%s is not that of contestants/shared/routes (%v): copy it", name, err)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
