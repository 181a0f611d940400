package contestant

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

func putFile(t *testing.T, file, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// Without an engine, or with an unknown image, the error says what to do.
func TestImageRefused(t *testing.T) {
	m := &Manifest{Name: "mine", Command: &Command{Container: &Container{Image: "localhost/dyno-no-such-image:1"}}}
	t.Setenv(engineVariable, "")
	t.Setenv("PATH", t.TempDir())
	_, _, err := Contained(t.Context(), m, true, nil)
	if f := AsFailure("mine", err); err == nil ||
		err.Error() != "needs podman or docker, to run an image: neither is on PATH" ||
		!f.Unavailable() || !strings.Contains(f.Hint, "apt-get install podman") {
		t.Errorf("without an engine: %v, %+v", err, AsFailure("mine", err))
	}
	t.Setenv(engineVariable, "no-such-engine --flag run --more")
	if _, _, err = Contained(t.Context(), m, true, nil); err == nil ||
		!strings.Contains(err.Error(), "needs no-such-engine (DYNO_PODMAN)") {
		t.Errorf("with one that is not there: %v", err)
	}
	const script = "#!/bin/sh\n[ \"$3\" = --version ] && echo podman version 4.3.1 && exit\necho 'Error: %s' >&2\nexit 125\n"
	fake := putFile(t, filepath.Join(t.TempDir(), "engine"), fmt.Sprintf(script, "no such image"), 0o755)
	t.Setenv(engineVariable, fake+" --storage vfs run --ulimit x")
	_, _, err = Contained(t.Context(), m, true, nil)
	if err == nil || !strings.Contains(err.Error(), "the image localhost/dyno-no-such-image:1: ") ||
		!strings.HasSuffix(err.Error(), "no such image") {
		t.Errorf("without the image: %v", err)
	}
	b := &Built{Manifest: m, Hash: "abc", engine: &engine{}}
	*b.engine, _ = findEngine(t.Context())
	o := &LaunchOptions{CPUs: []int{0, 2}, Dir: "/d", Env: map[string]string{"A": "b"}}
	m.Command.Container.Flags, m.Command.Container.Words = []string{"--memory", "9m"}, []string{"serve"}
	argv, name := b.contain(80, o, map[string]string{"DYNO_ADDR": "127.0.0.1:80", "A": "b"})
	want := fake + " --storage vfs run --rm --no-healthcheck --name " + name + " --network host -e PORT=80 " +
		"-e DYNO_ADDR=127.0.0.1:80 --pidfile /d/pid -e A=b --cpuset-cpus 0,2 --ulimit x --memory 9m abc serve"
	if got := strings.Join(argv, " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	putFile(t, fake, fmt.Sprintf(script, "Cannot connect to the Docker daemon at unix:///x."), 0o755)
	if _, _, err = Contained(t.Context(), m, true, nil); !AsFailure("mine", err).Unavailable() {
		t.Errorf("without a daemon: %v", err)
	}
}

// stubborn is a program that always listens on port 8080, has the port of a service in its first argument,
// and passes on what that answers.
func stubborn(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	putFile(t, filepath.Join(dir, "go.mod"), "module mine\n\ngo 1.24\n", 0o644)
	putFile(t, filepath.Join(dir, "main.go"), server(`
	os.Setenv("DYNO_ADDR", ":8080")
	http.HandleFunc("/service", func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get("http://db:" + os.Args[1])
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		fmt.Fprint(w, resp.Status)
	})
	`), 0o644)
	build := exec.Command("go", "build", "-o", "server", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("no Go: %v\n%s", err, out)
	}
	return filepath.Join(dir, "server")
}

// fetchFrom returns the body that a server answers with.
func fetchFrom(ctx context.Context, to wire.Endpoint, path string) (string, error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return to.Dial(ctx, &net.Dialer{}) }}}
	r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+to.Addr+path, nil)
	resp, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// fakeDocker is docker's command line: run starts a program in a network of its own, with db in its hosts.
const fakeDocker = `#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >>calls
case "$1 $2" in
--version*) echo "Docker version 28.2.2, build fake";;
image*) echo 'sha256:feed {"8080/tcp":{}}';;
inspect*)
	case "$3" in
	*Pid*) cat "$4.pid";;
	*) echo '{"Memory":268435456,"NanoCpus":1500000000,"CpuQuota":0,"CpuPeriod":0}';;
	esac;;
rm*) kill -9 "$(cat "$3.pid")" 2>/dev/null;;
exec*) test -e healthy;;
run*)
	name=$5
	for last; do :; done
	[ "$7" = none ] || exit 1
	exec unshare -n -m sh -c 'ip link set lo up; cp /etc/hosts hosts; echo 127.0.0.1 db >>hosts
		mount --bind hosts /etc/hosts; echo $$ >'"$name"'.pid; exec ./server '"$last"
esac
`

// Two containers listen on one port, each in a network where it reaches a service, and are measured,
// frozen and removed; with podman, and with docker's command line.
func TestContainers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an image")
	}
	if err := wire.NamespacesAllowed(); err != nil {
		t.Skip(err)
	}
	program := stubborn(t)
	service, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	go http.Serve(service, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	_, port, _ := net.SplitHostPort(service.Addr().String())
	c := &Container{Image: "mine", Apart: true, Words: []string{port}, Flags: []string{"--add-host", "db:127.0.0.1",
		"--memory", "256m"}}
	t.Run("docker", func(t *testing.T) {
		if exec.Command("unshare", "-n", "-m", "ip", "link").Run() != nil {
			t.Skip("no unshare and ip")
		}
		t.Setenv(engineVariable, putFile(t, filepath.Join(filepath.Dir(program), "docker"), fakeDocker, 0o755))
		inContainers(t, c, service)
	})
	t.Run("podman", func(t *testing.T) {
		e, err := findEngine(t.Context())
		if err != nil || !e.podman() {
			t.Skip("no podman: ", err)
		}
		dir := filepath.Dir(program)
		putFile(t, filepath.Join(dir, "Dockerfile"),
			"FROM scratch\nCOPY server /server\nEXPOSE 8080\nENTRYPOINT [\"/server\"]\n", 0o644)
		c.Image = "localhost/dyno-test:1"
		if _, err := e.ask(t.Context(), "build", "-q", "-t", c.Image, dir); err != nil {
			t.Skip("images cannot be built here: ", err)
		}
		defer e.ask(t.Context(), "rmi", "-f", c.Image)
		inContainers(t, c, service)
		if left, err := e.ask(t.Context(), "ps", "-aq", "--filter", fmt.Sprintf("name=dyno-%d-", os.Getpid())); err != nil ||
			left != "" {
			t.Errorf("left: %q, %v", left, err)
		}
	})
}

// TestBeRelay is the relay of inContainers.
func TestBeRelay(t *testing.T) {
	if flag.NArg() > 0 {
		t.Fatal(wire.Relay(flag.Args()))
	}
}

func inContainers(t *testing.T, c *Container, service net.Listener) {
	b, _, err := Contained(t.Context(), &Manifest{Name: "mine", Command: &Command{Container: c}}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Identify(); err != nil || b.Hash == "" {
		t.Errorf("hash %q, %v", b.Hash, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	addr := wire.TCP(service.Addr().String()).Relayed()
	var all []*Instance
	for n := range 2 {
		dir := t.TempDir()
		i, err := Launch(t.Context(), b, LaunchOptions{Dir: dir, Log: filepath.Join(dir, "log"), CPUs: []int{0},
			Relay: &machine.Relay{Argv: []string{self, "-test.run=^TestBeRelay$", addr}, Addrs: []string{addr}},
			Probe: func(ctx context.Context, to wire.Endpoint) error {
				_, err := fetchFrom(ctx, to, "/")
				return err
			}})
		if failed, ok := err.(*Failed); ok && strings.Contains(strings.Join(failed.Tail, "\n"), "OCI") {
			t.Skip("containers cannot be run here: ", failed.Tail)
		}
		if err != nil {
			t.Fatal(n, err, AsFailure("mine", err).LogTail)
		}
		defer i.Stop()
		all = append(all, i)
	}
	for _, i := range all {
		if text, err := fetchFrom(t.Context(), i.Endpoint, "/service"); i.Fixed() != 8080 || text != "200 OK" || err != nil {
			t.Errorf("port %d; its service answers %q, %v", i.Fixed(), text, err)
		}
		if i.Limits == nil || i.Limits.MemoryBytes != 256<<20 || i.ReadyNS <= 0 {
			t.Errorf("limits %+v, ready after %d", i.Limits, i.ReadyNS)
		}
		if members := i.Process.Tree(); len(members) != 1 {
			t.Errorf("the tree is %v", members)
		}
		if err := i.Process.Freeze(); err != nil {
			t.Error(err)
		}
		if err := i.Process.Strayed(); err != nil {
			t.Error(err)
		}
		var u record.Usage
		if err := i.Process.Usage(&u); err != nil || u.Processes != 1 || *u.PrivateBytes < 100_000 {
			t.Errorf("%+v, %v", u, err)
		}
		before, _ := i.Process.CPU()
		time.Sleep(20 * time.Millisecond)
		if after, err := i.Process.CPU(); err != nil || after != before || after <= 0 {
			t.Errorf("frozen, it went from %v to %v, %v", before, after, err)
		}
		if err := i.Process.Thaw(); err != nil {
			t.Error(err)
		}
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
	}
	if conn, err := net.Dial("tcp", "127.0.0.1:8080"); err == nil {
		conn.Close()
		t.Error("it is in this machine's network")
	}
}

// composed as docker compose config prints it, and as podman-compose config does.
const (
	dockerComposed = `name: shop
services:
  api:
    build: {context: %[1]s, dockerfile: Dockerfile, args: {V: "1"}}
    command: null
    deploy: {resources: {limits: {cpus: "0.5", memory: "536870912"}}}
    environment: {DATABASE_URL: "postgres://db:5432/x", TOKEN: "a$$b"}
    networks: {default: null}
    ports: [{mode: ingress, target: 8080, published: "8080", protocol: tcp}]
  db:
    image: postgres:17
    command: [postgres, -c, max_connections=20]
    healthcheck: {test: [CMD-SHELL, "pg_isready -U postgres"], interval: 1s}
    volumes:
      - {type: bind, source: %[1]s/seed.sql, target: /docker-entrypoint-initdb.d/seed.sql, read_only: true, bind: {create_host_path: true}}
      - {type: volume, source: data, target: /var/lib/postgresql/data, volume: {}}
networks: {default: {name: shop_default}}
`
	podmanComposed = `services:
  api:
    build: {context: ., args: [V=1]}
    cpus: 0.5
    mem_limit: 536870912
    environment: {DATABASE_URL: postgres://db:5432/x, TOKEN: a$b}
    ports: ['8080:8080']
  db:
    image: postgres:17
    command: postgres -c max_connections=20
    healthcheck: {test: pg_isready -U postgres}
    volumes: ['./seed.sql:/docker-entrypoint-initdb.d/seed.sql:ro', 'data:/var/lib/postgresql/data']
`
)

// tool puts a program on PATH that prints a compose file, as docker or as podman-compose, and returns a
// folder with a compose file.
func tool(t *testing.T, name, text string) (dir string) {
	dir, _ = filepath.EvalSymlinks(t.TempDir())
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	putFile(t, filepath.Join(dir, "seed.sql"), "", 0o644)
	putFile(t, filepath.Join(dir, "compose.yaml"), "x", 0o644)
	if strings.Contains(text, "%[1]s") {
		text = fmt.Sprintf(text, dir)
	}
	putFile(t, filepath.Join(bin, name), "#!/bin/sh\n/bin/cat <<'EOF'\n"+text+"EOF\n", 0o755)
	return dir
}

// Both programs' outputs mean the same.
func TestCompose(t *testing.T) {
	for name, text := range map[string]string{"docker": dockerComposed, "podman-compose": podmanComposed} {
		dir := tool(t, name, text)
		file := filepath.Join(dir, "compose.yaml")
		sides, err := FindSides(t.Context(), []string{"compose:" + file + "#api", "compose:" + file + "#api"}, SideOptions{
			Folder: func(string) (string, string, bool) { return "", "", false }})
		if err != nil {
			t.Fatal(name, err)
		}
		api := sides[0].command.Container
		want := []string{"build -q -f " + dir + "/Dockerfile --build-arg V=1 " + dir, "-e DATABASE_URL=postgres://db:5432/x " +
			"-e TOKEN=a$b --cpus 0.5 --memory 536870912 --add-host db:127.0.0.1", ""}
		if got := []string{strings.Join(api.Build, " "), strings.Join(api.Flags, " "), strings.Join(api.Words, " ")}; !api.Apart ||
			!slices.Equal(got, want) || sides[0].Name != "api" {
			t.Errorf("%s: %s: %q\nwant %q", name, sides[0].Name, got, want)
		}
		services, err := ComposeServices(sides)
		if err != nil || len(services) != 1 || services[0].Name != "db" {
			t.Fatalf("%s: %+v, %v", name, services, err)
		}
		m, err := ServiceManifest(nil, &services[0])
		if err != nil {
			t.Fatal(err)
		}
		db := m.Command.Container
		want = []string{"postgres:17", "-v " + dir + "/seed.sql:/docker-entrypoint-initdb.d/seed.sql:ro " +
			"-v /var/lib/postgresql/data --add-host api:127.0.0.1", "postgres -c max_connections=20",
			"/bin/sh -c pg_isready -U postgres"}
		if got := []string{db.Image, strings.Join(db.Flags, " "), strings.Join(db.Words, " "), strings.Join(db.Health, " ")}; !slices.Equal(got, want) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
}

// What a compose file may not ask for, or does not have, is refused before anything starts.
func TestComposeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{api: {image: x, privileged: true}}":                    `the service api: dyno does not pass "privileged" to the engine`,
		"{api: {image: x, volumes: ['/etc:/x']}}":                "it mounts /etc; dyno mounts only what is in the compose file's folder",
		"{api: {image: x, volumes: ['./away:/x']}}":              "it mounts /etc; ",
		"{api: {image: --privileged}}":                           "want the name of an image",
		"{api: {}}":                                              "want the name of an image",
		"{db: {image: x}}":                                       `has no service "api"; it has db`,
		"{api: null}":                                            `has no service "api"`,
		"{api: {image: x}, 'a:1.1.1.1': {image: x}}":             `a service with the name "a:1.1.1.1"`,
		"{api: {build: {context: 'https://example.com/x.git'}}}": "there is no folder ",
		"{api: {build: {context: ., network: host}}}":            "dyno does not pass build.network",
		"{api: {image: x, deploy: {replicas: 3}}}":               "not 3 replicas",
		"{api: {image: x, command: {a: b}}}":                     "podman-compose: yaml: ",
		"[":                                                      "podman-compose: yaml: ",
	} {
		dir := tool(t, "podman-compose", "services: "+text+"\n")
		if err := os.Symlink("/etc", filepath.Join(dir, "away")); err != nil {
			t.Fatal(err)
		}
		if _, err := composed(t.Context(), filepath.Join(dir, "compose.yaml#api")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
	dir := tool(t, "other", "")
	file := filepath.Join(dir, "compose.yaml")
	if _, err := composed(t.Context(), file+"#api"); err == nil ||
		!strings.HasSuffix(err.Error(), "neither is on this machine; pip install podman-compose") {
		t.Errorf("without compose: %v", err)
	}
	if _, err := composed(t.Context(), dir+"#api"); err == nil || !strings.Contains(err.Error(), "want a compose file") {
		t.Errorf("a folder: %v", err)
	}
	dir = tool(t, "podman-compose", "")
	putFile(t, filepath.Join(os.Getenv("PATH"), "podman-compose"),
		"#!/bin/sh\necho \"error: argument command: invalid choice: 'config'\" >&2\nexit 2\n", 0o755)
	if _, err := composed(t.Context(), filepath.Join(dir, "compose.yaml#api")); err == nil ||
		!strings.Contains(err.Error(), "podman-compose: it is too old") {
		t.Errorf("an old one: %v", err)
	}
	mixed := []*Side{{Kind: Image, Text: "compose:" + file + "#api"}, {Kind: CommandSide, Text: "node a.js"}}
	if _, err := ComposeServices(mixed); err == nil || !strings.Contains(err.Error(), "all or none") {
		t.Errorf("beside a command: %v", err)
	}
}
