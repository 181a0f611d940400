package main

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/plan"
)

// compareFileName is the file that dyno compare reads if the command line names no sides.
const compareFileName = "dyno.toml"

// compareFile is a dyno.toml. Its keys, except sides, are flags of dyno compare.
type compareFile struct {
	Sides        []string `toml:"sides"`
	Name         []string `toml:"name"`
	Of           string   `toml:"of"`
	Path         []string `toml:"path"`
	Method       string   `toml:"method"`
	Header       []string `toml:"header"`
	Body         string   `toml:"body"`
	BodyFile     string   `toml:"body-file"`
	Template     bool     `toml:"template"`
	Scenario     string   `toml:"scenario"`
	ExpectStatus string   `toml:"expect-status"`
	Differ       []string `toml:"differ"`
	Connections  int      `toml:"connections"`
	Rate         any      `toml:"rate"`
	Budget       string   `toml:"budget"`
	Primary      string   `toml:"primary"`
	Margin       float64  `toml:"margin"`
	FailIf       []string `toml:"fail-if"`
	Strict       bool     `toml:"strict"`
	Profile      string   `toml:"profile"`
	Seed         uint64   `toml:"seed"`
	CA           string   `toml:"ca"`
	Cert         string   `toml:"cert"`
	Key          string   `toml:"key"`
	Insecure     bool     `toml:"insecure"`

	file   *conf.File
	values map[string][]string // values set from the file, by key
}

// readCompareFile reads a folder's dyno.toml. The error is fs.ErrNotExist if there is none.
func readCompareFile(fsys fs.FS) (c *compareFile, err error) {
	c = &compareFile{values: map[string][]string{}}
	if c.file, err = conf.Read(fsys, compareFileName, c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, usage(err)
	}
	if len(c.Sides) == 0 {
		return nil, usage(c.file.Errorf("sides",
			"no sides: want two or more, such as sides = [\"node a.js\", \"node b.js\"]"))
	}
	c.values["sides"] = c.Sides
	foreign.Learn(c.Sides)
	return c, nil
}

// set copies the file's values to cmd's flags. Flags on the command line take precedence.
func (c *compareFile) set(cmd *cobra.Command) error {
	fl, all := cmd.Flags(), reflect.ValueOf(c).Elem()
	for i := range all.NumField() {
		key := all.Type().Field(i).Tag.Get("toml")
		if key == "" || key == "sides" || !c.file.Has(key) || fl.Changed(key) {
			continue
		}
		var texts []string
		if list, ok := all.Field(i).Interface().([]string); ok {
			texts = list
		} else {
			texts = []string{fmt.Sprint(all.Field(i).Interface())}
		}
		c.values[key] = texts
		foreign.Learn(append([]string{"--" + key}, texts...))
		for n, text := range texts {
			if err := fl.Set(key, text); err != nil {
				return usage(c.file.Errorf(c.at(key, n), "%s: %v", key, reason(fl.Lookup(key), text, err)))
			}
		}
	}
	return nil
}

// at returns the key for entry n in an array, in conf.File's form, such as sides[1].
func (c *compareFile) at(key string, n int) string {
	if entry := fmt.Sprintf("%s[%d]", key, n); c.file.Has(entry) {
		return entry
	}
	return key
}

// reason returns the cause of an error about a flag's value, without pflag's words.
func reason(f *pflag.Flag, text string, err error) error {
	if want := wanted[f.Value.Type()]; want != "" {
		return fmt.Errorf("%q: want %s", text, want)
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok && errors.Unwrap(bad) != nil {
		return fmt.Errorf("%q: %w", text, errors.Unwrap(bad))
	}
	return err
}

// place prefixes a usage error about one of the file's values, or about a side, with its position
// in the file.
func (c *compareFile) place(err error) error {
	var u *conf.UsageError
	var r *plan.RequestError
	if c == nil || !errors.As(err, &u) && !errors.As(err, &r) {
		return err
	}
	text := err.Error()
	best, found := "", false
	for key, values := range c.values {
		flag := "--" + key
		named := strings.Contains(text, flag+" ") || strings.Contains(text, flag+":")
		if named && len(key) > len(best) {
			best, found = key, true
		}
		for n, v := range values {
			quoted := strings.Contains(text, fmt.Sprintf("%q", v)) || key == "sides" && strings.Contains(text, v)
			if (named || key == "sides" && !found) && v != "" && quoted {
				best, found = c.at(key, n), true
			}
		}
	}
	if !found {
		return err
	}
	return usage(c.file.Errorf(best, "%s", text))
}

// compareSides returns the sides on the command line; if there are none, it reads them from the
// dyno.toml here, and sets its flags.
func compareSides(cmd *cobra.Command, args []string) (sides []string, file *compareFile, err error) {
	if len(args) > 0 {
		return args, nil, nil
	}
	file, err = readCompareFile(foreign.FS("."))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usagef("no sides, and no %s in this folder; run dyno init to write one, or: %s",
			compareFileName,
			cmd.UseLine())
	}
	if err != nil {
		return nil, nil, err
	}
	return file.Sides, file, file.set(cmd)
}
