package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// powercap is a root with zone files: name, energy and range by folder.
func powercap(t *testing.T, zones map[string][3]string) (root string, set func(zone, energy string)) {
	t.Helper()
	root = t.TempDir()
	put := func(zone, file, text string) {
		dir := filepath.Join(root, "sys/class/powercap", zone)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for zone, text := range zones {
		put(zone, "name", text[0])
		put(zone, "energy_uj", text[1])
		put(zone, "max_energy_range_uj", text[2])
	}
	return root, func(zone, energy string) { put(zone, "energy_uj", energy) }
}

func TestEnergyIsOfThePackages(t *testing.T) {
	root, set := powercap(t, map[string][3]string{
		"intel-rapl:0":   {"package-0", "1000", "262143328850"},
		"intel-rapl:1":   {"package-1", "900", "1000"},
		"intel-rapl:0:0": {"core", "5", "1000"},
		"intel-rapl:2":   {"psys", "5", "1000"},
	})
	e, err := OpenEnergy(root)
	if err != nil {
		t.Fatal(err)
	}
	since := e.Count()
	set("intel-rapl:0", "1500")
	set("intel-rapl:1", "100") // it wrapped
	set("intel-rapl:0:0", "90")
	if got := since(); got == nil || *got != 500+200 {
		t.Errorf("%v", got)
	}
	set("intel-rapl:1", "nonsense")
	if got := since(); got != nil {
		t.Errorf("of an unreadable counter: %d", *got)
	}
	if got := e.Count()(); got != nil {
		t.Errorf("since an unreadable reading: %d", *got)
	}
}

func TestEnergyThatWrapsNowhere(t *testing.T) {
	root, set := powercap(t, map[string][3]string{"intel-rapl:0": {"package-0", "1000", ""}})
	e, err := OpenEnergy(root)
	if err != nil {
		t.Fatal(err)
	}
	since := e.Count()
	set("intel-rapl:0", "10")
	if got := since(); got != nil {
		t.Errorf("%d", *got)
	}
}

func TestNoEnergy(t *testing.T) {
	bare, _ := powercap(t, nil)
	parts, _ := powercap(t, map[string][3]string{"intel-rapl:0:0": {"core", "5", "1000"}})
	odd, _ := powercap(t, map[string][3]string{"intel-rapl:0": {"package-0", "", "1000"}})
	for root, want := range map[string]string{bare: "no intel-rapl package", parts: "no intel-rapl package",
		odd: "invalid syntax"} {
		if _, err := OpenEnergy(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := OpenEnergy(bare); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var none *Energy
	if none.Count()() != nil {
		t.Error("energy of nothing")
	}
}
