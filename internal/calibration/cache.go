package calibration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"dyno/internal/result"
)

// File is where the last calibration of this user's machine is kept.
func File() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "dyno", "calibration.json")
}

// BootID names the time since the machine was started (random(4)); empty where the system does not say.
func BootID() string { return read(os.DirFS("/"), "proc/sys/kernel/random/boot_id") }

// Write keeps c as the last calibration. It is complete or not there.
func Write(c *result.Calibration) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the calibration: %w", err)
	}
	name := File()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("keep the calibration: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "calibration-*")
	if err != nil {
		return fmt.Errorf("keep the calibration: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("keep the calibration: %w", err)
	}
	return nil
}

// Last reads the calibration that was kept last. It may be of another boot, or old: compare its BootID with that of the host, and its EndedUnixNS with the
// clock. The error wraps fs.ErrNotExist if there is none.
func Last() (*result.Calibration, error) {
	data, err := os.ReadFile(File())
	if err != nil {
		return nil, fmt.Errorf("read the last calibration: %w", err)
	}
	var c result.Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read the last calibration %s: %w", File(), err)
	}
	if c.Format != result.Format {
		return nil, fmt.Errorf("read the last calibration %s: format %d, want %d", File(), c.Format, result.Format)
	}
	return &c, nil
}
