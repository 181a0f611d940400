package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/record"
)

// fileName returns the path of this user's last calibration on this machine.
func fileName() (string, error) {
	dir, err := contestant.Cache()
	return filepath.Join(dir, "calibration.json"), err
}

// WriteCalibration stores c as the last calibration. The file is written atomically.
func WriteCalibration(c *record.Calibration) error {
	name, err := fileName()
	if err == nil {
		err = foreign.Replace(filepath.Dir(name), filepath.Base(name), 0o600, func(w io.Writer) error {
			return document.JSON(w, c)
		})
	}
	if err != nil {
		return fmt.Errorf("store the calibration: %w", err)
	}
	return nil
}

// LastCalibration reads the last calibration. It may be from another boot, or old: compare its BootID with the
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
