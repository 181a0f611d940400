package contestant

import (
	"errors"
	"fmt"
	"os"
)

// ErrChanged means that a program differs from the one that was built.
var ErrChanged = errors.New("its program was changed after it was built")

// sums returns the SHA-256, by path, of a prebuilt program or of the files in a command. Programs built by
// dyno have contents instead.
func (b *Built) sums() (map[string]string, error) {
	var paths []string
	switch m := b.Manifest; {
	case m.Command != nil:
		paths = m.Command.files()
	case m.Program != "":
		paths = []string{b.Argv[0], b.Argv[0] + ".dll"} // a .NET program only starts its .dll
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

// unchanged compares b's files with their state after the build or, for a prebuilt program, when it was
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
