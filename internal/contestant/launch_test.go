package contestant

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dyno/internal/wire"
)

// project writes a contestant with one Go file and returns it with the toolchain.
func project(t *testing.T, source string) (*Manifest, Toolchain, BuildOptions) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "contestants", "go", "mine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"contestant.toml": good, "go.mod": "module mine\n\ngo 1.24\n",
		"main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := readNamed(os.DirFS(root), "contestants/go/mine")
	if err != nil {
		t.Fatal(err)
	}
	tc, err := Find(t.Context(), m, FindOptions{Offline: true})
	if err != nil {
		t.Skip("no Go: ", err)
	}
	return m, tc, BuildOptions{Root: root, Cache: t.TempDir(), Log: filepath.Join(root, "logs", "build.log")}
}

// server returns a program that follows the contract, with statements before it listens.
func server(before string) string {
	return `package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"time"
)

var _, _, _ = exec.Command, time.Second, fmt.Fprintln

func main() {
	` + before + `
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Getenv("DYNO_ADDR"), nil))
	os.Exit(1)
}
`
}

// probe accepts any response.
func probe(ctx context.Context, to wire.Endpoint) error {
	resp, err := http.Get("http://" + to.Addr + "/")
	if err == nil {
		resp.Body.Close()
	}
	return err
}

func TestBuildIdentifyLaunch(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(""))
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	framework, version, err := b.Identify()
	if err != nil || framework != "net/http" || version != "go"+tc.Version || len(b.Hash) != 64 {
		t.Errorf("identified as %s %s %q, %v", framework, version, b.Hash, err)
	}
	i, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
		Probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	pid := i.Process.Pid()
	if i.ReadyNS <= 0 {
		t.Errorf("ready after %d ns", i.ReadyNS)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
	// Only changed sources are built again.
	if err := os.Remove(o.Log); err != nil {
		t.Fatal(err)
	}
	if again, err := Build(t.Context(), m, tc, o); err != nil || again.Out != b.Out {
		t.Errorf("again: %v, %v", again, err)
	}
	if _, err := os.Stat(o.Log); err == nil {
		t.Error("an unchanged contestant was built again")
	}
	main := filepath.Join(o.Root, "contestants/go/mine/main.go")
	os.WriteFile(main, []byte(server("// changed")), 0o644)
	if changed, err := Build(t.Context(), m, tc, o); err != nil || changed.Out == b.Out {
		t.Errorf("a changed contestant was not built again: %v", err)
	}
	m.Version = "v1.0.0"
	if _, _, err := b.Identify(); err == nil || !strings.Contains(err.Error(), "contestant.toml says v1.0.0") {
		t.Errorf("another version than promised: %v", err)
	}
	m.Framework, m.Version = "example.org/framework", "v1.0.0"
	if _, _, err := b.Identify(); err == nil || !strings.Contains(err.Error(), "is not among the modules") {
		t.Errorf("a framework that is not in the program: %v", err)
	}
}

func TestDoesNotBuild(t *testing.T) {
	m, tc, o := project(t, "package main\n\nfunc main() { nonsense }\n")
	_, err := Build(t.Context(), m, tc, o)
	f := AsFailure("mine", err)
	if f.Stage != "build" || !strings.Contains(strings.Join(f.LogTail, "\n"), "undefined: nonsense") {
		t.Errorf("failure %+v", f)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Cache, "built", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDoesNotLaunch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, want, log string }{
		"exits": {`fmt.Println("no licence"); os.Exit(3)`, "exited before it was ready: exit status 3",
			"no licence"},
		"knows its routes": {`fmt.Println(os.Getenv("DYNO_ROUTES")); os.Exit(3)`, "exited before it was ready",
			"/a.routes:/b.routes"},
		"does not listen": {`fmt.Println("thinking"); time.Sleep(time.Hour)`, "not ready within 500ms", "thinking"},
	} {
		t.Run(name, func(t *testing.T) {
			m, tc, o := project(t, server(c.before))
			b, err := Build(t.Context(), m, tc, o)
			if err != nil {
				t.Fatal(err)
			}
			home, timeout := t.TempDir(), time.Minute
			if strings.HasPrefix(c.want, "not ready") {
				timeout = 500 * time.Millisecond
			}
			_, err = Launch(t.Context(), b, LaunchOptions{Dir: home, Log: filepath.Join(t.TempDir(), "log"),
				Routes: []string{"/a.routes", "/b.routes"}, Timeout: timeout, Probe: probe})
			f := AsFailure("mine", err)
			if f.Stage != "launch" || !strings.Contains(f.Reason, c.want) ||
				!strings.Contains(strings.Join(f.LogTail, "\n"), c.log) {
				t.Errorf("failure %+v", f)
			}
			nobodyIn(t, home)
		})
	}
}

// Another program holds the port: its responses must not count as the contestant's.
func TestPortHeldByAnother(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(`time.Sleep(time.Hour)`))
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{}
	go srv.Serve(ln)
	defer srv.Close()
	taken := ln.Addr().(*net.TCPAddr).Port
	home := t.TempDir()
	_, err = launchOn(t.Context(), b, LaunchOptions{Dir: home, Log: filepath.Join(t.TempDir(), "log"), Probe: probe},
		taken)
	if want := fmt.Sprintf("port %d is in use by another process: pid %d", taken, os.Getpid()); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want %q", err, want)
	}
	nobodyIn(t, home)
}

// The error reports the contestant's last wrong response rather than the final time-out.
func TestNotReadySaysWhatWasAnswered(t *testing.T) {
	m, tc, o := project(t, server(`if at := os.Getenv("DYNO_H2C_ADDR"); at != "" {
		os.Setenv("DYNO_ADDR", at)
	}`))
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		form  wire.HTTP
		first error
	}{
		": it listens, but the first request fails: wrong body":              {wire.Clear, errors.New("wrong body")},
		": it listens, but the first request fails: HTTP/2 in the clear: no": {wire.H2C, errors.New("no")},
		": it listens, but does not answer: ":                                {wire.Clear, nil},
	} {
		asked := 0
		for timeout := time.Second / 4; asked == 0 && timeout < time.Hour; timeout *= 2 { // a busy machine starts it late
			want := fmt.Sprintf("not ready within %v%s", timeout, want)
			_, err = Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
				Protocols: []wire.HTTP{c.form}, Timeout: timeout,
				Probe: func(ctx context.Context, to wire.Endpoint) error {
					if asked++; asked == 1 && c.first != nil {
						return c.first
					}
					<-ctx.Done() // like a request without a response
					return fmt.Errorf("read: %w", ctx.Err())
				}})
			if asked > 0 && (err == nil || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "DYNO_ADDR")) {
				t.Errorf("error %v; want %q", err, want)
			}
		}
	}
}

func TestLaunchIsCancelled(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(`time.Sleep(time.Hour)`))
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	home := t.TempDir()
	if _, err := Launch(ctx, b, LaunchOptions{Dir: home, Log: filepath.Join(t.TempDir(), "log"),
		Probe: probe}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	nobodyIn(t, home)
}

// nobodyIn looks for processes whose HOME is home.
func nobodyIn(t *testing.T, home string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if env, _ := os.ReadFile(f); strings.Contains(string(env), "HOME="+home+"\x00") {
			t.Errorf("left behind: %s", f)
		}
	}
}

// TestRealDotnet: building a .NET contestant twice gives the same program, and no process is left behind.
func TestRealDotnet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with .NET")
	}
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m, err := readNamed(os.DirFS(root), "contestants/dotnet/kestrel")
	if err != nil {
		t.Fatal(err)
	}
	tc, err := Find(t.Context(), m, FindOptions{Offline: true})
	if err != nil {
		t.Skip("no .NET: ", err)
	}
	b, cache := builtTwice(t, m, tc, BuildOptions{Root: root})
	if _, version, err := b.Identify(); err != nil || !atLeast(version, ">=10.0") {
		t.Errorf("version %q, %v", version, err)
	}
	i, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
		Probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	nobodyIn(t, filepath.Join(cache, "build-home"))
	if out, _ := exec.Command("pgrep", "-f", cache).Output(); len(out) > 0 {
		t.Errorf("processes of the build were left: %s", out)
	}
}

// A contestant learns its handlers' work and the address for heap figures, and the shared harness follows
// both.
func TestWorkAndHeap(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, `package main

import (
	"fmt"
	"net/http"
	"os"

	"dyno/harness/nethttp"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, os.Getenv("DYNO_WORK")) })
	nethttp.Serve(http.DefaultServeMux)
}
`)
	shareHarness(t, m, o)
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range []bool{true, false} {
		lo := LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(o.Root, "logs", "run.log"), Stats: asked, Probe: probe}
		if asked {
			lo.Work = "cpu"
		}
		i, err := Launch(t.Context(), b, lo)
		if err != nil {
			t.Fatal(err)
		}
		defer i.Stop()
		answer, err := http.Get("http://" + i.Addr + "/")
		if err != nil {
			t.Fatal(err)
		}
		work, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(work) != lo.Work {
			t.Errorf("its work is %q; want %q", work, lo.Work)
		}
		first, err := i.Heap()
		second, err2 := i.Heap()
		switch {
		case !asked:
			if err == nil || i.Stats != "" {
				t.Errorf("without asking: %+v at %q", first, i.Stats)
			}
		case err != nil || err2 != nil || first.Inuse < 1<<16 || second.TotalAlloc <= first.TotalAlloc:
			t.Errorf("%+v, then %+v: %v, %v", first, second, err, err2)
		}
	}
}

// TestEnd: a contestant ends on SIGTERM; one that does not is killed, and that is an error.
func TestEnd(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{"": "",
		"signal.Ignore(syscall.SIGTERM)": "it did not exit within 5s of SIGTERM and was killed"} {
		source := strings.Replace(server(before), "import (", "import (\n\t\"os/signal\"\n\t\"syscall\"", 1)
		m, tc, o := project(t, strings.Replace(source, "var _,", "var _, _ = signal.Ignore, syscall.SIGTERM\n\nvar _,",
			1))
		b, err := Build(t.Context(), m, tc, o)
		if err != nil {
			t.Fatal(err)
		}
		i, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
			Probe: probe})
		if err != nil {
			t.Fatal(err)
		}
		err = i.End()
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

// TestListeners: a contestant learns the address for each form of HTTP, and is ready when it answers in all
// requested forms with the run's certificate. Errors name the address that does not respond.
func TestListeners(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, `package main

import (
	"net/http"
	"os"
)

func main() {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Proto)) })
	go http.ListenAndServeTLS(os.Getenv("DYNO_TLS_ADDR"), os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY"), answer)
	http.ListenAndServe(os.Getenv("DYNO_ADDR"), answer)
}
`)
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	id, err := wire.NewIdentity(filepath.Join(t.TempDir(), "tls"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	probe := func(ctx context.Context, to wire.Endpoint) error {
		c, err := to.Dial(ctx, &net.Dialer{})
		if err != nil {
			return err
		}
		defer c.Close()
		mu.Lock()
		defer mu.Unlock()
		said := to.Scheme()
		if e, ok := c.(*tls.Conn); ok {
			said += " " + e.ConnectionState().NegotiatedProtocol
		}
		asked = append(asked, said)
		return nil
	}
	options := LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"), Probe: probe, Identity: id,
		Protocols: []wire.HTTP{wire.H2, wire.Clear, wire.HTTPS}}
	i, err := Launch(t.Context(), b, options)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(asked, ", "); got != "https h2, http, https http/1.1" {
		t.Errorf("probed: %s", got)
	}
	if i.At(wire.H2).Addr != i.At(wire.HTTPS).Addr || i.At(wire.H2).Addr == i.At(wire.Clear).Addr {
		t.Errorf("addresses %q", i.also)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	options.Protocols, options.Timeout = []wire.HTTP{wire.Clear, wire.H2C}, time.Second
	if _, err = Launch(t.Context(), b, options); err == nil || !strings.Contains(err.Error(), "DYNO_H2C_ADDR?") {
		t.Errorf("without a listener: %v", err)
	}
}
