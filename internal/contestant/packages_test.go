package contestant

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestUnfetched(t *testing.T) {
	for log, want := range map[string]bool{
		"/x/A.csproj : error NU1301: Unable to load the service index for source " +
			"https://packages.example/v3/index.json.": true,
		"/x/A.csproj : error NU1101: Unable to find package A. No packages exist with this id in source(s): " +
			"/x/nuget": true,
		"/x/A.csproj : error NU1102: Unable to find package A with version (= 2.0.0)\n  - Found 1 version(s) in " +
			"nuget [ Nearest version: 1.0.0 ]": true,
		`main.go:7:2: a.org/b@v1.0.0: Get "http://127.0.0.1:1/a.org/b/@v/v1.0.0.zip": dial tcp 127.0.0.1:1: connect: connection refused`: true,
		`main.go:7:2: a.org/b@v1.0.0: Get "http://p/a.org/b/@v/v1.0.0.zip": dial tcp: lookup p on 10.0.0.1:53: no such host`:             true,
		`go: a.org/b@v1.0.0: Get "https://p/a.org/b/@v/v1.0.0.mod": proxyconnect tcp: EOF`:                                               true,
		`go: a.org/b@v1.0.0: reading https://p/a.org/b/@v/v1.0.0.mod: 403 Forbidden`:                                                     true,
		"main.go:7:2: module lookup disabled by " +
			"GOPROXY=off": true,
		"\tfatal: unable to access 'https://a.org/b/': Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't " +
			"connect to server": true,
		"npm error code ECONNREFUSED":       true,
		"npm ERR! code E503":                true,
		"npm error code ERR_SOCKET_TIMEOUT": true,
		"WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'NewConnectionError(": true,
		"warning: spurious network error (1 try remaining): [7] Couldn't connect to server (Failed to":     true,

		"":                                    false,
		"./main.go:3:15: undefined: nonsense": false,
		"npm error code E404":                 false,
		"npm error code EINTEGRITY":           false,
		"WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'ReadTimeoutError(": false,
		"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.":                      false,
		"error: the lock file Cargo.lock needs to be updated but --locked was passed to prevent this":    false,
		"go: downloading a.org/b v1.0.0": false,
		"/x/A.csproj : error NU1101: Unable to find package Aa. No packages exist with this id in source(s): " +
			"nuget.org": false,
		`go: a.org/b@v9.9.9: reading https://p/a.org/b/@v/v9.9.9.info: 404 Not Found`: false,
		"/x/Program.cs(3,1): error CS0103: The name 'NU1301' does not exist in the current " +
			"context": false,
		"verifying a.org/b@v1.0.0: checksum " +
			"mismatch": false,
		"main.go:9: dial(tcp) is not a " +
			"function": false,
		"/x/A.csproj : error NU1403: Package content hash validation failed for A. The package is different than the " +
			"last restore.": false,
		"go: go.mod requires go >= 1.99 (running go 1.26.8; " +
			"GOTOOLCHAIN=local)": false,
	} {
		if got := Unfetched("first\n" + log + "\nlast\n"); (got != "") != want {
			t.Errorf("%s: %q", log, got)
		}
	}
}

// A contestant whose packages cannot be downloaded is unavailable; one with wrong sources has failed.
func TestBuildWithoutPackages(t *testing.T) {
	m, tc, o := project(t, "package main\n\nimport _ \"example.org/there-is-none\"\n\nfunc main() {}\n")
	mod := "module mine\n\ngo 1.24\n\nrequire example.org/there-is-none v1.0.0\n"
	if err := os.WriteFile(filepath.Join(o.Root, "contestants", "go", "mine", "go.mod"), []byte(mod),
		0o644); err != nil {
		t.Fatal(err)
	}
	m.BuildEnv = map[string]string{"GOPROXY": "http://127.0.0.1:1", "GOFLAGS": "-mod=mod", "GONOSUMDB": "*",
		"GOMODCACHE": t.TempDir()}
	_, err := Build(t.Context(), m, tc, o)
	var none *Unavailable
	if f := AsFailure("mine", err); !errors.As(err, &none) || !f.Unavailable() || f.Hint == "" {
		t.Errorf("%v: %+v", err, f)
	}
}

// Missing packages in an earlier build's log do not affect this build: a resumed run appends to the same
// file.
func TestLogOfTheBuildBefore(t *testing.T) {
	m, tc, o := project(t, "package main\n\nfunc main() { nonsense() }\n")
	err := errors.Join(os.MkdirAll(filepath.Dir(o.Log), 0o755),
		os.WriteFile(o.Log, []byte("main.go:7:2: module lookup disabled by GOPROXY=off\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(t.Context(), m, tc, o)
	if f := AsFailure("mine", err); f.Stage != "build" || f.Unavailable() {
		t.Errorf("%v: %+v", err, f)
	}
}

// skipUnbuildable skips a test if this machine lacks what the build needs.
func skipUnbuildable(t *testing.T, err error) {
	t.Helper()
	var none *Unavailable
	if errors.As(err, &none) {
		t.Skip(err)
	}
}
