package contestant

import (
	"errors"
	"fmt"
	"os"
)

// ErrChanged is of a program that is not the one that was built.
var ErrChanged = errors.New("its program was changed after it was built")

// sums are the SHA-256, by path, of a program that was built elsewhere, or of the files that a
// command names; of what was built here there are contents.
func (b *Built) sums() (map[string]string, error) {
	var paths []string
	switch m := b.Manifest; {
	case m.Command != nil:
		paths = m.Command.files()
	case m.Program != "":
		paths = []string{b.Argv[0], b.Argv[0] + ".dll"} // of .NET, whose program only starts the library
	default:
		return nil, nil
	}
	all := map[string]string{}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil && path != b.Argv[0] {
			continue
		}
		sum, err := sha256File(path)
		if err != nil {
			return nil, err
		}
		all[path] = sum
	}
	return all, nil
}

// unchanged compares what b is started from with what it was when it was built or, built elsewhere,
// identified. Files that came since are not of it.
func (b *Built) unchanged() error {
	if err := b.Damaged(); err != nil {
		return fmt.Errorf("%w: %w; see who writes there (another contestant?), and run again: it is built anew",
			ErrChanged, err)
	}
	for path, was := range b.files {
		is, err := sha256File(path)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if is != was {
			return fmt.Errorf("%w: %s has the SHA-256 %.12s…, and had %.12s…; see who writes there (another "+
				"contestant?)",
				ErrChanged, path, is, was)
		}
	}
	return nil
}
