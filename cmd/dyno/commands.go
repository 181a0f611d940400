package main

import (
	"cmp"
	"embed"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

//go:embed commands.toml
var commandsFile embed.FS

// table is commands.toml, which explains the keys.
type table struct {
	Command []commandRow
	Heading []struct {
		Title string
		Flag  []flagRow
	}
	Conflict []struct {
		In, Flag, Why string
		With, Needs   []string
	}
	Unknown map[string]map[string]string // hints for unknown flags, by command and flag
}

// commandRow is a command.
type commandRow struct {
	Path, Use, Group, Short, Long, Example string
	Args                                   []int // fewest and most arguments; nil: any
	Hidden                                 bool
}

// flagRow is a flag that some commands have.
type flagRow struct {
	In                                             []string
	Name, Short, Value, Field, Read, Default, Bare string
	Help, Elsewhere                                string
	Words                                          []string
	Most                                           int64
	File                                           bool
	heading                                        string
}

// commands returns the table.
var commands = sync.OnceValue(func() *table {
	t := &table{}
	if _, err := conf.Read(commandsFile, "commands.toml", t); err != nil {
		panic(err)
	}
	for _, h := range t.Heading {
		for i := range h.Flag {
			f := &h.Flag[i]
			f.heading, f.Help = h.Title, strings.Join(strings.Fields(f.Help), " ")
		}
	}
	return t
})

// flags returns the rows of a command's flags, in the order of the help.
func (t *table) flags(path string) (rows []*flagRow) {
	for _, h := range t.Heading {
		for i := range h.Flag {
			if f := &h.Flag[i]; slices.Contains(f.In, path) {
				rows = append(rows, f)
			}
		}
	}
	return rows
}

// pathOf returns a command's path without dyno: "fleet init".
func pathOf(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "dyno ") }

// rowOf returns the row of a command's flag; a row without content for cobra's own flags.
func rowOf(cmd *cobra.Command, name string) *flagRow {
	for _, f := range commands().flags(pathOf(cmd)) {
		if f.Name == name {
			return f
		}
	}
	return &flagRow{Name: name}
}

// command makes a command of the table. Each of its flags sets the field of its name in the first
// of the structs, passed by pointers, that has one.
func command(path string, run func(*cobra.Command, []string) error, structs ...any) *cobra.Command {
	all := commands().Command
	t := all[slices.IndexFunc(all, func(c commandRow) bool { return c.Path == path })]
	cmd := &cobra.Command{Use: t.Use, GroupID: t.Group, Short: t.Short, Long: strings.TrimSpace(t.Long),
		Example: strings.TrimRight(t.Example, "\n"), Hidden: t.Hidden}
	if t.Args != nil {
		cmd.Args = arguments(t.Args)
	}
	if run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(unsupported(&t, runtime.GOOS), conflicting(cmd)); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	cmd.Flags().SortFlags = false
	for _, f := range commands().flags(path) {
		f.define(cmd.Flags(), f.field(structs))
		if f.Words != nil {
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(f.Words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	return cmd
}

// unsupported returns an error if a command needs Linux and this is another system.
func unsupported(c *commandRow, system string) error {
	if system == "linux" || c.Path == "load" || c.Path == "refserver" || c.Group == readGroup || c.Group == "other" {
		return nil
	}
	return fmt.Errorf("dyno %s needs Linux, and this is %s: use a virtual machine with Linux (dyno help machines); "+
		"dyno load, report, check, audit and list work here", c.Path, system)
}

// conflicting returns an error if the flags that are set exclude one another, or if one of them or an argument is
// empty. Only a text, such as a body, may be empty.
func conflicting(cmd *cobra.Command) error {
	empty := map[bool]string{true: "an argument"}[slices.Contains(cmd.Flags().Args(), "")]
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if text := f.Value.String(); text == "[]" || text == "" && rowOf(cmd, f.Name).Read != "text" {
			empty = "--" + f.Name
		}
	})
	if empty != "" {
		return usagef("%s is empty; omit it, or give it a value (is a variable unset?)", empty)
	}
	for _, c := range commands().Conflict {
		if c.In == pathOf(cmd) && cmd.Flags().Changed(c.Flag) && (slices.ContainsFunc(c.With, cmd.Flags().Changed) ||
			c.Needs != nil && !slices.ContainsFunc(c.Needs, cmd.Flags().Changed)) {
			return usagef("%s", strings.ReplaceAll(c.Why, "\n", " "))
		}
	}
	return nil
}

// field returns a pointer to the field that the flag sets.
func (f *flagRow) field(structs []any) any {
	name := cmp.Or(f.Field, strings.ReplaceAll(f.Name, "-", ""))
	for _, s := range structs {
		field := reflect.ValueOf(s).Elem().FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, name) })
		if field.IsValid() {
			return field.Addr().Interface()
		}
	}
	panic("no field for the flag --" + f.Name)
}

// define defines the flag, which sets *to.
func (f *flagRow) define(fl *pflag.FlagSet, to any) {
	number, _ := strconv.Atoi(f.Default)
	var list []string
	if f.Default != "" {
		list = strings.Split(f.Default, ",")
	}
	switch p := to.(type) {
	case *bool:
		fl.BoolVarP(p, f.Name, f.Short, false, f.Help)
	case *int:
		fl.IntVarP(p, f.Name, f.Short, number, f.Help)
	case *uint64:
		fl.Uint64VarP(p, f.Name, f.Short, uint64(number), f.Help)
	case *[]int:
		fl.IntSliceVarP(p, f.Name, f.Short, nil, f.Help)
	case *[]time.Duration:
		fl.DurationSliceVarP(p, f.Name, f.Short, nil, f.Help)
	case *[]string:
		if strings.HasSuffix(f.Value, ",…") {
			fl.StringSliceVarP(p, f.Name, f.Short, list, f.Help)
		} else {
			fl.StringArrayVarP(p, f.Name, f.Short, list, f.Help)
		}
	default:
		if text, ok := to.(*string); ok && f.Read == "" {
			*text = f.Default
		}
		fl.VarP(&value{to: reflect.ValueOf(to).Elem(), row: f, text: f.Default}, f.Name, f.Short, f.Help)
		fl.Lookup(f.Name).NoOptDefVal = f.Bare
	}
}
