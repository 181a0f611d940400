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
	"dyno/internal/scenario"
)

// compareFileName is the file that dyno compare reads if the command line names no sides.
const compareFileName = "dyno.toml"

// compareFile is a dyno.toml. Its keys, except sides and service, are flags of dyno compare.
type compareFile struct {
	*conf.File
	values   map[string][]string // values by key
	services []scenario.Service
}

// keysOfFile returns a struct with a field for each key of a dyno.toml.
func keysOfFile(fl *pflag.FlagSet) reflect.Value {
	fields := []reflect.StructField{{Name: "Sides", Type: reflect.TypeFor[[]string](), Tag: `toml:"sides"`},
		{Name: "Services", Type: reflect.TypeFor[[]scenario.Service](), Tag: `toml:"service"`}}
	for i, f := range commands().flags("compare") {
		if !f.File {
			continue
		}
		kind := reflect.TypeFor[any]()
		switch fl.Lookup(f.Name).Value.Type() {
		case "bool":
			kind = reflect.TypeFor[bool]()
		case "stringArray":
			kind = reflect.TypeFor[[]string]()
		}
		tag := reflect.StructTag(fmt.Sprintf("toml:%q", f.Name))
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: kind, Tag: tag})
	}
	return reflect.New(reflect.StructOf(fields))
}

// readCompareFile reads a folder's dyno.toml. The error is fs.ErrNotExist if there is none.
func readCompareFile(fsys fs.FS, fl *pflag.FlagSet) (*compareFile, error) {
	all := keysOfFile(fl)
	file, err := conf.Read(fsys, compareFileName, all.Interface())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, usage(err)
	}
	c := &compareFile{File: file, values: map[string][]string{}}
	for i := range all.Elem().NumField() {
		key, v := all.Elem().Type().Field(i).Tag.Get("toml"), all.Elem().Field(i).Interface()
		switch v := v.(type) {
		case []scenario.Service:
			c.services = v
			continue
		case []string:
			c.values[key] = v
		default:
			if !c.Has(key) {
				break
			}
			c.values[key] = []string{fmt.Sprint(v)}
		}
		foreign.Learn(append([]string{"--" + key}, c.values[key]...))
	}
	if len(c.values["sides"]) == 0 {
		return nil, usage(c.Errorf("sides",
			"no sides: want two or more, such as sides = [\"node a.js\", \"node b.js\"]"))
	}
	if err := scenario.ReadServices(file, "", c.services); err != nil {
		return nil, usage(err)
	}
	return c, nil
}

// set copies the file's values to cmd's flags. Flags on the command line take precedence.
func (c *compareFile) set(cmd *cobra.Command) error {
	for _, f := range commands().flags("compare") {
		if cmd.Flags().Changed(f.Name) {
			continue
		}
		for n, text := range c.values[f.Name] {
			if err := cmd.Flags().Set(f.Name, text); err != nil {
				if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
					err = reason(bad)
				}
				return usage(c.Errorf(c.at(f.Name, n), "%s: %v", f.Name, err))
			}
		}
	}
	return conflicting(cmd)
}

// at returns the key for entry n in an array, in conf.File's form, such as sides[1].
func (c *compareFile) at(key string, n int) string {
	if entry := fmt.Sprintf("%s[%d]", key, n); c.Has(entry) {
		return entry
	}
	return key
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
	return usage(c.Errorf(best, "%s", text))
}

// compareSides returns the sides on the command line; if there are none, it reads them from the
// dyno.toml here, and sets its flags.
func compareSides(cmd *cobra.Command, args []string) (sides []string, file *compareFile, err error) {
	if len(args) > 0 {
		return args, nil, nil
	}
	file, err = readCompareFile(foreign.FS("."), cmd.Flags())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usagef("no sides, and no %s in this folder; run dyno init to write one, or: %s",
			compareFileName,
			cmd.UseLine())
	}
	if err != nil {
		return nil, nil, err
	}
	return file.values["sides"], file, file.set(cmd)
}
