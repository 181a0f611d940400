package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Energy reads the CPU packages' energy counters (RAPL, kernel
// Documentation/power/powercap/powercap.rst). They count the whole package, in use or idle, and are
// updated about once per ms, so they need loads that last a few seconds. A nil Energy has no
// counters.
type Energy struct{ zones []zone }

// zone is one package.
type zone struct {
	file string
	wrap uint64 // µJ at which the counter starts again from 0
}

// OpenEnergy finds the counters below root, which is "/" except in tests. The error says why there
// are none: most virtual machines have none, and only root may read them (CVE-2020-8694).
func OpenEnergy(root string) (*Energy, error) {
	const folder = "sys/class/powercap"
	var e Energy
	dirs, _ := filepath.Glob(filepath.Join(root, folder, "intel-rapl:*")) // AMD's have this name too
	for _, dir := range dirs {
		files := os.DirFS(dir)
		if !strings.HasPrefix(read(files, "name"), "package-") {
			continue // psys, or a part of a package: core, uncore or dram
		}
		z := zone{file: path.Join(dir, "energy_uj")}
		if _, err := z.read(); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil, fmt.Errorf("powercap: only root may read it (%w)", err)
			}
			return nil, fmt.Errorf("powercap: %w", err)
		}
		z.wrap, _ = strconv.ParseUint(read(files, "max_energy_range_uj"), 10, 64)
		e.zones = append(e.zones, z)
	}
	if len(e.zones) == 0 {
		return nil, fmt.Errorf("powercap: /%s has no intel-rapl package: %w", folder, fs.ErrNotExist)
	}
	return &e, nil
}

func (z *zone) read() (uint64, error) {
	data, err := os.ReadFile(z.file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
}

// Count reads the counters. The returned function reads them again and returns the µJ used in
// between, nil if a counter cannot be read or its range is unknown.
func (e *Energy) Count() func() *int64 {
	if e == nil {
		return func() *int64 { return nil }
	}
	before, err := e.read()
	return func() *int64 {
		after, err2 := e.read()
		if err != nil || err2 != nil {
			return nil
		}
		var sum int64
		for i, z := range e.zones {
			if after[i] < before[i] {
				after[i] += z.wrap
			}
			sum += int64(after[i] - before[i])
		}
		if sum < 0 {
			return nil // the counter started again, and its range is unknown
		}
		return &sum
	}
}

func (e *Energy) read() ([]uint64, error) {
	list := make([]uint64, len(e.zones))
	for i := range e.zones {
		var err error
		if list[i], err = e.zones[i].read(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
