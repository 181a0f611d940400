package contestant

import (
	"errors"
	"fmt"
	"os"
)

// ErrChanged is of a program that is not the one that was built.
var ErrChanged = errors.New("its program was changed after it was built")

// sums are the SHA-256 of a program that was built elsewhere, by path; of what was built here there
// are contents.
func (b *Built) sums() (map[string]string, error) {
	if b.Manifest.Program == "" {
		return nil, nil
	}
	all := map[string]string{}
	for _, path := range []string{b.Argv[0], b.Argv[0] + ".dll"} { // of .NET, whose program only starts the library
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
			return fmt.Errorf("%w: %s has the SHA-256 %.12s…, and had %.12s…; see who writes there (another contestant?)",
				ErrChanged, path, is, was)
		}
	}
	return nil
}
