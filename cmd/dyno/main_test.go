package main

import (
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dyno/internal/machine"
)

// programs are started by tests under these names: this test binary.
var programs = map[string]func(){"dyno": main, "dyno-made": mainMade, "answering": mainAnswering}

func TestMain(m *testing.M) { testscript.Main(private{m}, programs) }

// private runs the tests with their own runtime folder: their runs and runs on this machine, or in
// another test binary, do not lock each other out.
type private struct{ *testing.M }

func (m private) Run() int {
	dir, err := os.MkdirTemp("", "dyno-runtime-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv(machine.RuntimeVariable, dir)
	heedHangup()
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue { // many tests wait more than they work
		flag.Set(f.Name, strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	return m.M.Run()
}

// heedHangup lets programs started by the tests end at SIGHUP, even if the tests were started by
// nohup: a program inherits ignored signals, but no handled ones.
func heedHangup() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) }

func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"skip-unavailable": skipScript,
			"no-new-runs": noNewRuns},
		Setup: func(env *testscript.Env) error {
			// The scripts see this checkout as ./checkout, and share Go's caches.
			env.Setenv("NO_COLOR", "1")
			env.Values["test"], env.Values["root"], env.Values["runs"] = env.T(), root, recorded(root)
			env.Setenv(machine.RuntimeVariable, filepath.Join(env.WorkDir, "runtime")) // scripts run at the same time
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
				if v := goEnv(name); v != "" {
					env.Setenv(name, v)
				}
			}
			return os.Symlink(root, filepath.Join(env.WorkDir, "checkout"))
		},
	})
}

// recorded returns the runs recorded in a checkout.
func recorded(root string) []string {
	names, _ := filepath.Glob(filepath.Join(root, "runs", "*"))
	return names
}

// noNewRuns fails a script that has recorded a run in the checkout.
func noNewRuns(ts *testscript.TestScript, neg bool, args []string) {
	if now := recorded(ts.Value("root").(string)); !slices.Equal(now, ts.Value("runs").([]string)) {
		ts.Fatalf("runs were made: %v", now)
	}
}

// skipScript ends a script whose last command found that a contestant cannot be built here.
func skipScript(ts *testscript.TestScript, neg bool, args []string) {
	if why := unavailable(ts.ReadFile("stdout")); why != "" {
		ts.Value("test").(testscript.T).Skip(why)
	}
}

// skipUnavailable skips a test if some output says that a contestant cannot be built here.
func skipUnavailable(t *testing.T, stdout string) {
	t.Helper()
	if why := unavailable(stdout); why != "" {
		t.Skip(why)
	}
}

// unavailable matches a command's message about a contestant whose toolchain or packages are
// missing here.
func unavailable(stdout string) string {
	for line := range strings.Lines(stdout) {
		if strings.Contains(line, "unavailable: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
