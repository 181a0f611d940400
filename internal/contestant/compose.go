package contestant

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"dyno/internal/conf"
	"dyno/internal/scenario"
)

// composePrefix marks a service of a compose file: compose:FILE#SERVICE.
const composePrefix = "compose:"

// composeFile is a compose file as compose itself understands it.
type composeFile struct {
	Services map[string]*composeService
	path     string // absolute, without links
}

// composeService is a service in compose's output. A key that is neither here nor in unusedKeys is refused.
type composeService struct {
	Image string
	Build *struct {
		Context, Dockerfile, Target string
		Args                        composeVariables
		More                        map[string]any `yaml:",inline"`
	}
	Command, Entrypoint composeWords
	Environment         composeVariables
	EnvFile             composeWords `yaml:"env_file"`
	Volumes             []composeVolume
	Tmpfs, Expose       composeWords
	User                string
	WorkingDir          string `yaml:"working_dir"`
	ShmSize             string `yaml:"shm_size"`
	CPUs                string
	MemLimit            string `yaml:"mem_limit"`
	Deploy              struct {
		Replicas  int
		Resources struct{ Limits struct{ CPUs, Memory string } }
	}
	Healthcheck struct {
		Test    yaml.Node
		Disable bool
	}
	More map[string]any `yaml:",inline"`
}

// unusedKeys have no meaning for a service that dyno starts, reaches and stops by itself.
var unusedKeys = strings.Fields("annotations attach container_name depends_on hostname init labels logging networks " +
	"platform ports profiles pull_policy restart scale stdin_open stop_grace_period stop_signal tty ulimits")

// composeWords are a command's words, or a list of texts.
type composeWords []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *composeWords) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(w))
	}
	*w = slices.Concat(commands(n.Value)...)
	return nil
}

// composeVariables are variables with their values; nil: the environment has the value.
type composeVariables map[string]*string

// UnmarshalYAML implements yaml.Unmarshaler.
func (v *composeVariables) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return n.Decode((*map[string]*string)(v))
	}
	var list []string
	err := n.Decode(&list)
	*v = composeVariables{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if (*v)[key] = nil; ok {
			(*v)[key] = &value
		}
	}
	return err
}

// flags returns the variables, each after a flag.
func (v composeVariables) flags(flag string) (words []string) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		word := key
		if v[key] != nil {
			word += "=" + *v[key]
		}
		words = append(words, flag, word)
	}
	return words
}

// composeVolume is a mounted volume, file or folder.
type composeVolume struct{ Type, Source, Target string }

// UnmarshalYAML implements yaml.Unmarshaler.
func (v *composeVolume) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		type plain composeVolume
		return n.Decode((*plain)(v))
	}
	parts := strings.Split(n.Value, ":")
	v.Type, v.Target = "volume", parts[0]
	if len(parts) > 1 {
		v.Source, v.Target = parts[0], parts[1]
	}
	if strings.HasPrefix(v.Source, ".") || filepath.IsAbs(v.Source) {
		v.Type = "bind"
	}
	return nil
}

var composeName = conf.Regexp(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// readComposed caches composed files by their paths.
var readComposed sync.Map

// readCompose asks compose for the meaning of a compose file.
func readCompose(ctx context.Context, path string) (*composeFile, error) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil, conf.Usagef("%s%s: want a compose file and one of its services, such as compose:compose.yaml#api",
			composePrefix, path)
	}
	full, err := filepath.Abs(path)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return nil, err
	}
	if f, ok := readComposed.Load(full); ok {
		return f.(*composeFile), nil
	}
	tool := []string{"docker", "compose"}
	if _, err := output(ctx, "docker", "compose", "version"); err != nil {
		tool = []string{"podman-compose"}
		if _, err := exec.LookPath(tool[0]); err != nil {
			return nil, fmt.Errorf("%w; pip install podman-compose", &Unavailable{
				Toolchain: "docker compose or podman-compose, to read " + path, Reason: "neither is on this machine"})
		}
	}
	text, err := output(ctx, append(slices.Clone(tool), "-f", full, "config")...)
	if err != nil && strings.Contains(err.Error(), "invalid choice: 'config'") {
		err = fmt.Errorf("it is too old to say what a file means; pip install podman-compose")
	}
	if tool[0] == "docker" { // its output is a compose file again, where $$ stands for $
		text = strings.ReplaceAll(text, "$$", "$")
	}
	f := &composeFile{path: full}
	if err == nil {
		err = yaml.Unmarshal([]byte(text), f)
	}
	if err != nil {
		return nil, conf.Usagef("%s: %s: %w", path, strings.Join(tool, " "), err)
	}
	for name := range f.Services {
		if !composeName().MatchString(name) {
			return nil, conf.Usagef("%s: a service with the name %q; want letters, digits and -_. alone", path, name)
		}
	}
	readComposed.Store(full, f)
	return f, nil
}

// composed returns the container of FILE#SERVICE, which finds the file's other services by their names.
func composed(ctx context.Context, from string) (*Container, error) {
	path, name, _ := strings.Cut(from, "#")
	f, err := readCompose(ctx, path)
	if err != nil {
		return nil, err
	}
	s, names := f.Services[name], slices.Sorted(maps.Keys(f.Services))
	if s == nil {
		return nil, conf.Usagef("%s has no service %q; it has %s", path, name, strings.Join(names, ", "))
	}
	c, err := f.container(s)
	if err != nil {
		return nil, conf.Usagef("%s: the service %s: %w", path, name, err)
	}
	for _, other := range names {
		if other != name {
			c.Flags = append(c.Flags, "--add-host", other+":127.0.0.1")
		}
	}
	return c, nil
}

// container returns a service's container.
func (f *composeFile) container(s *composeService) (*Container, error) {
	for _, key := range slices.Sorted(maps.Keys(s.More)) {
		v := s.More[key]
		if !slices.Contains(unusedKeys, key) && !strings.HasPrefix(key, "x-") && v != nil && !reflect.ValueOf(v).IsZero() {
			return nil, fmt.Errorf("dyno does not pass %q to the engine; remove it", key)
		}
	}
	if s.Deploy.Replicas > 1 {
		return nil, fmt.Errorf("dyno starts one container, not %d replicas; set 1", s.Deploy.Replicas)
	}
	c, dir := &Container{Image: s.Image, Apart: true, Words: s.Command, Ports: strings.Join(s.Expose, " ")},
		filepath.Dir(f.path)
	if b := s.Build; b != nil {
		if len(b.More) > 0 {
			return nil, fmt.Errorf("dyno does not pass build.%s to the engine; remove it", slices.Sorted(maps.Keys(b.More))[0])
		}
		from := under(dir, b.Context)
		if !IsDir(from) {
			return nil, fmt.Errorf("there is no folder %s to build it in", from)
		}
		c.Build = slices.Concat([]string{"build", "-q", "-f", under(from, cmp.Or(b.Dockerfile, "Dockerfile"))},
			b.Args.flags("--build-arg"))
		if b.Target != "" {
			c.Build = append(c.Build, "--target", b.Target)
		}
		c.Build = append(c.Build, from)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	for _, file := range s.EnvFile {
		c.Flags = append(c.Flags, "--env-file", under(dir, file))
	}
	c.Flags = append(c.Flags, s.Environment.flags("-e")...)
	for _, v := range s.Volumes {
		words, err := v.flags(dir)
		if err != nil {
			return nil, err
		}
		c.Flags = append(c.Flags, words...)
	}
	for _, target := range s.Tmpfs {
		c.Flags = append(c.Flags, "--tmpfs", target)
	}
	limits := s.Deploy.Resources.Limits
	for _, f := range [][2]string{{"--user", s.User}, {"--workdir", s.WorkingDir}, {"--shm-size", s.ShmSize},
		{"--cpus", cmp.Or(s.CPUs, limits.CPUs)}, {"--memory", cmp.Or(s.MemLimit, limits.Memory)}} {
		if f[1] != "" {
			c.Flags = append(c.Flags, f[:]...)
		}
	}
	if len(s.Entrypoint) > 0 {
		c.Flags, c.Words = append(c.Flags, "--entrypoint", s.Entrypoint[0]), slices.Concat(s.Entrypoint[1:], s.Command)
	}
	var err error
	if test := s.Healthcheck.Test; test.Kind == yaml.ScalarNode {
		c.Health = []string{"/bin/sh", "-c", test.Value}
	} else if err = test.Decode(&c.Health); len(c.Health) > 1 {
		how := c.Health[0]
		if c.Health = c.Health[1:]; how == "CMD-SHELL" {
			c.Health = []string{"/bin/sh", "-c", c.Health[0]}
		}
	}
	if s.Healthcheck.Disable || len(c.Health) < 2 && slices.Contains(c.Health, "NONE") {
		c.Health = nil
	}
	return c, err
}

// flags returns the flags that mount a volume, new and empty, or a file or folder below dir to be read.
func (v *composeVolume) flags(dir string) ([]string, error) {
	switch {
	case !filepath.IsAbs(v.Target) || strings.ContainsAny(v.Target, ":,"):
		return nil, fmt.Errorf("a volume at %q; want a path that starts with /, without : and ,", v.Target)
	case v.Type == "tmpfs":
		return []string{"--tmpfs", v.Target}, nil
	case v.Type == "volume":
		return []string{"-v", v.Target}, nil
	case v.Type != "bind":
		return nil, fmt.Errorf("a volume of type %q; want volume, bind or tmpfs", v.Type)
	}
	file, err := filepath.EvalSymlinks(under(dir, v.Source))
	if err != nil {
		return nil, err
	}
	if in, err := filepath.Rel(dir, file); err != nil || !filepath.IsLocal(in) || strings.ContainsAny(file, ":,") {
		return nil, fmt.Errorf("it mounts %s; dyno mounts only what is in the compose file's folder, %s", file, dir)
	}
	return []string{"-v", file + ":" + v.Target + ":ro"}, nil
}

// ComposeServices returns the services of the sides' compose file that are no sides.
func ComposeServices(sides []*Side) (all []scenario.Service, err error) {
	file, ours := "", map[string]bool{}
	for _, s := range sides {
		path, name, _ := strings.Cut(strings.TrimPrefix(s.Text, composePrefix), "#")
		if !strings.HasPrefix(s.Text, composePrefix) || s.Kind != Image {
			path = ""
		}
		if s != sides[0] && path != file {
			return nil, conf.Usagef("%s and %s: sides share their services, so all or none must be services of one "+
				"compose file, written alike", sides[0].Text, s.Text)
		}
		file, ours[name] = path, true
	}
	if file == "" {
		return nil, nil
	}
	f, err := readCompose(context.Background(), file)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Services)) {
		if !ours[name] {
			all = append(all, scenario.Service{Name: name, Start: composePrefix + f.path + "#" + name})
		}
	}
	return all, nil
}
