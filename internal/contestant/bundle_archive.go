package contestant

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "embed"

	"golang.org/x/tools/txtar"
)

// archive holds the project that this program was built from, in txtar format. It is text with sorted files,
// so that git merges changes from two branches as in the files themselves.
//
//go:generate go test . -run TestArchive -update
//go:embed bundle.txtar
var archive []byte

// encoded is the name suffix for binary files in the archive, which are stored in base64.
const encoded = ".base64"

// unpackArchive writes an archive's files below dir.
func unpackArchive(archive []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range txtar.Parse(archive).Files {
		name, isEncoded := strings.CutSuffix(f.Name, encoded)
		if isEncoded {
			if f.Data, err = base64.StdEncoding.DecodeString(string(f.Data)); err != nil {
				return fmt.Errorf("unpack %s: %w", f.Name, err)
			}
		}
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
