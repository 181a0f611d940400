package bench

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// The test binary stands in for a server that already runs, on two ports. More tests run at a time than there are
// CPUs, because they mostly wait.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_ROLE") != "answer" {
		flag.Parse()
		if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
			flag.Set(f.Name, strconv.Itoa(4*runtime.GOMAXPROCS(0)))
		}
		os.Exit(m.Run())
	}
	for range 2 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(ln.Addr())
		go http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "value") }))
	}
	io.Copy(io.Discard, os.Stdin) // until the test ends
}

// running starts a server in its own process and returns its addresses and its pid.
func running(t *testing.T) (addrs [2]string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BENCH_ROLE=answer")
	in, _ := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	for i := range addrs {
		if !lines.Scan() {
			t.Fatal("the server did not say where it listens")
		}
		addrs[i] = lines.Text()
	}
	return addrs, cmd
}

// attachedTo is a Local with contestants that already run, by name and address.
func attachedTo(t *testing.T, addrs map[string]string) *Local {
	t.Helper()
	o := LocalOptions{Root: ".", FS: os.DirFS("."), Folder: t.TempDir()}
	for name, addr := range addrs {
		o.Manifests = append(o.Manifests, &contestant.Manifest{Name: name, Title: name,
			URL: &scenario.Target{URL: "http://" + addr + "/", Endpoint: wire.TCP(addr), Here: true}})
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	l, err := NewLocal(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func get(t *testing.T, addr string) {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/")
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// TestAttached: a server that already runs is read and never touched, its CPU is not another
// side's, and a second port of the same process is not another side.
func TestAttached(t *testing.T) {
	one, cmd := running(t)
	two, _ := running(t)
	l := attachedTo(t, map[string]string{"a": one[0], "b": one[1], "c": two[0]})
	if h := l.Describe(); h.Pinned || len(h.ServerCPUs) == 0 {
		t.Errorf("servers that may run anywhere are pinned: %+v", h)
	}
	c, err := l.Build(t.Context(), "a", func(string) {})
	if err != nil || c.URL != "http://"+one[0]+"/" || !strings.Contains(c.Processes,
		fmt.Sprintf("(pid %d)", cmd.Process.Pid)) {
		t.Errorf("%+v, %v", c, err)
	}
	servers := map[string]Server{}
	for _, name := range []string{"a", "b", "c"} {
		if servers[name], err = l.Launch(t.Context(), name, Launch{}); err != nil {
			t.Fatal(err)
		}
	}
	a, c2 := servers["a"], servers["c"]
	if others := l.others(a); len(others) != 1 || others[0] != c2 {
		t.Errorf("beside a: %v", others)
	}
	if others := l.others(c2); len(others) != 1 {
		t.Errorf("beside c there is one process, not %d", len(others))
	}
	for _, do := range []func() error{a.Freeze, a.Thaw, a.Freeze, func() error { return exited(a) }, a.End,
		func() error { _, err := a.Stop(); return err }} {
		if err := do(); err != nil {
			t.Error(err)
		}
		get(t, one[0]) // it would not return
	}
	watched := l.Watch(a)
	before, _ := cpuOf(c2)()
	for deadline := time.Now().Add(20 * time.Second); ; {
		get(t, two[0])
		if now, err := cpuOf(c2)(); err != nil || time.Now().After(deadline) {
			t.Fatalf("%v: %v", now, err)
		} else if now > before {
			break
		}
	}
	if causes := watched(0, 0, 0); causes.OtherSidesNS == 0 || causes.BackgroundUnknown {
		t.Errorf("%+v", causes)
	}
	if r, err := a.Read(ReadUsage); err != nil || r.Usage.PrivateBytes == nil || r.Usage.Processes != 1 {
		t.Errorf("%+v, %v", r.Usage, err)
	}
	if r, _ := a.Read(ReadStart); r.Meters["cpu"] == "" || r.Absent["cpu"] != "" {
		t.Errorf("%+v", r)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := exited(a); err == nil {
		t.Error("it was killed, and is not missed")
	}
	if _, err := l.Launch(t.Context(), "a", Launch{}); err == nil {
		t.Error("it was killed, and is launched")
	}
}

// TestAttachedUnread: background CPU is unknown for a server whose processes cannot be found.
func TestAttachedUnread(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // of this process, which is dyno itself here
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go http.Serve(ln, http.NotFoundHandler())
	l := attachedTo(t, map[string]string{"a": ln.Addr().String()})
	a, err := l.Launch(t.Context(), "a", Launch{})
	if err != nil {
		t.Fatal(err)
	}
	if causes := l.Watch(a)(0, 0, 0); !causes.BackgroundUnknown || causes.BackgroundServerNS != 0 {
		t.Errorf("%+v", causes)
	}
	if r, _ := a.Read(ReadStart); !strings.Contains(r.Absent["cpu"], "dyno itself") || r.Absent["memory"] == "" {
		t.Errorf("%v", r.Absent)
	}
	if _, err := cpuOf(a)(); err == nil {
		t.Error("its CPU was read")
	}
}

// TestExactAsksForItsOwnPath of a URL.
func TestExactAsksForItsOwnPath(t *testing.T) {
	e := newExact()
	e.paths["a"] = map[string]string{"/x?q=1": "/y?r=2"}
	q := e.asked("a", &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/x?q=1"}}}).Requests[0]
	if q.Path != "/y?r=2" {
		t.Errorf("%+v", q)
	}
}
