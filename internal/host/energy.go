package host

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

// Energy is the energy counters of the CPU packages (RAPL, kernel Documentation/power/powercap/powercap.rst). They count the whole package,
// whoever uses it and also when nobody does, about once per ms: below some seconds they mean little. A nil Energy counts nothing.
type Energy struct{ zones []zone }

// zone is one package.
type zone struct {
	file string
	wrap uint64 // µJ at which its counter begins anew
}

// OpenEnergy finds the counters below root, which is "/" but in tests. The error says why there are none: most virtual machines have none, and
// only root may read them (CVE-2020-8694).
func OpenEnergy(root string) (*Energy, error) {
	const folder = "sys/class/powercap"
	var e Energy
	dirs, _ := filepath.Glob(filepath.Join(root, folder, "intel-rapl:*")) // AMD's stand under this name as well
	for _, dir := range dirs {
		files := os.DirFS(dir)
		if !strings.HasPrefix(read(files, "name"), "package-") {
			continue // psys, or a part of a package: core, uncore, dram
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

// Count reads the counters; the function it returns reads them again and says how many µJ passed, nil if they could not be read.
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
			return nil // it wrapped, and does not say where
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
