package contestant

import (
	"errors"
	"fmt"
)

// ErrChanged means that a program differs from the one that was built.
var ErrChanged = errors.New("its program was changed after it was built")

// sums returns the SHA-256, by path, of the files in a command. Contestants have contents instead.
func (b *Built) sums() (map[string]string, error) {
	if b.Manifest.Command == nil {
		return nil, nil
	}
	all := map[string]string{}
	for _, path := range b.Manifest.Command.files() {
		sum, err := sha256File(path)
		if err != nil {
			return nil, err
		}
		all[path] = sum
	}
	return all, nil
}

// unchanged compares b's files with their state after the build or, for a command, when it was
// identified. It ignores additional files.
func (b *Built) unchanged() error {
	if err := b.Damaged(); err != nil {
		return fmt.Errorf(
			"%w: %w; find out which program writes there (another contestant?), and run again to rebuild it",
			ErrChanged, err)
	}
	for path, was := range b.files {
		is, err := sha256File(path)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if is != was {
			return fmt.Errorf("%w: the SHA-256 of %s is now %.12s…, and was %.12s…; find out which program writes "+
				"there (another contestant?)",
				ErrChanged, path, is, was)
		}
	}
	return nil
}
