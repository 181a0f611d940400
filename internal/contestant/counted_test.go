package contestant

import (
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dyno/internal/machine"
)

// A pinned contestant sees its number of CPUs by affinity and in its runtime's variables.
func TestCountedCPUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a process is pinned only on Linux")
	}
	usable, _ := machine.Limits()
	t.Setenv("GOMAXPROCS", "5") // as a user may have it in a shell
	for _, c := range []struct {
		count bool
		want  string
		known map[string]string
	}{
		{true, "cpus 1 variables 1 1", map[string]string{"DOTNET_PROCESSOR_COUNT": "1", "GOMAXPROCS": "1"}},
		{false, "cpus 1 variables 5", nil},
	} {
		b := Commanded(&Manifest{Name: "mine", Command: &Command{Dir: t.TempDir(),
			Line: `echo cpus $(nproc) variables $GOMAXPROCS $DOTNET_PROCESSOR_COUNT; exit 3`}})
		_, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
			CPUs: usable[:1], Count: c.count, Probe: probe})
		if f := AsFailure("mine", err); strings.Join(f.LogTail, " ") != c.want {
			t.Errorf("%v: it saw %q; %v", c.count, f.LogTail, err)
		}
		env := map[string]string{"GOMAXPROCS": "5"}
		o := LaunchOptions{CPUs: []int{0}, Count: c.count}
		if got := o.counted(env, true); !maps.Equal(got, c.known) {
			t.Errorf("%v: recorded are %v", c.count, got)
		}
	}
	o := LaunchOptions{CPUs: []int{2, 3}, Count: true}
	env := map[string]string{"GOMAXPROCS": "7"} // from the manifest
	if got := o.counted(env, false); got["GOMAXPROCS"] != "7" || env["DOTNET_PROCESSOR_COUNT"] != "2" {
		t.Errorf("told %v, recorded are %v", env, got)
	}
}
