package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"dyno/internal/contestant"
	"dyno/internal/record"
)

// fileName returns the path of this user's last calibration on this machine.
func fileName() (string, error) {
	dir, err := contestant.Cache()
	return filepath.Join(dir, "calibration.json"), err
}

// BootID returns the id of the machine's current boot (random(4)); "" if unknown.
func BootID() string { return read(os.DirFS("/"), "proc/sys/kernel/random/boot_id") }

// Write stores c as the last calibration. The file is written atomically.
func WriteCalibration(c *record.Calibration) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("store the calibration: %w", err)
		}
	}()
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	name, err := fileName()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "calibration-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Last reads the last calibration. It may be from another boot, or old: compare its BootID with the
// host's, and its EndedUnixNS with the clock. The error wraps fs.ErrNotExist if there is none.
func LastCalibration() (*record.Calibration, error) {
	name, err := fileName()
	if err != nil {
		return nil, fmt.Errorf("read the last calibration: %w", err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the last calibration: %w", err)
	}
	var c record.Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read the last calibration %s: %w; run dyno doctor to replace it", name, err)
	}
	if c.Format != record.Format {
		return nil, fmt.Errorf("read the last calibration %s: format %d, want %d; run dyno doctor to replace it",
			name, c.Format, record.Format)
	}
	return &c, nil
}
