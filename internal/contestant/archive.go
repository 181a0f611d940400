package contestant

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/machine"
)

func sha256File(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unpack unpacks a .tar.gz or .tar.xz to dir: first into a temporary folder, which it then renames, so that
// concurrent processes do not conflict and an interrupted one leaves nothing. program must be at the top
// level or one folder below; the folder with program becomes dir.
func unpack(ctx context.Context, file, dir, program string) error {
	partial, err := partialFolder(dir)
	if err != nil {
		return err
	}
	defer machine.RemoveTemp(partial)
	// tar refuses names that lead outside.
	tar := exec.CommandContext(ctx, "tar", "--no-same-owner", "-xf", file, "-C", partial)
	if z, err := zip.OpenReader(file); err == nil { // of Maven Central, which has a .tar.xz in it
		defer z.Close()
		all, _ := fs.Glob(z, "*.txz")
		inner, err := z.Open(strings.Join(all, ""))
		if err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(file), err)
		}
		tar.Stdin, tar.Args[2], tar.Args[3] = inner, "-xJf", "-"
	}
	out, err := machine.CombinedOutput(tar)
	if err != nil {
		return fmt.Errorf("unpack %s: tar: %w: %s (are tar and, for .xz, xz-utils installed?)", filepath.Base(file), err,
			strings.TrimSpace(string(out)))
	}
	top := partial
	if !isFile(filepath.Join(top, program)) { // a folder may have the program's name
		inner, _ := filepath.Glob(filepath.Join(partial, "*", program))
		inner = slices.DeleteFunc(inner, func(f string) bool { return !isFile(f) })
		if len(inner) != 1 {
			return fmt.Errorf("unpack %s: it contains no %s", filepath.Base(file), program)
		}
		top = filepath.Dir(inner[0])
	}
	if err := os.Chmod(top, 0o755); err != nil {
		return err
	}
	if err := mark(top); err != nil {
		return err
	}
	return replace(top, dir)
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
