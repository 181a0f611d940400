// Package imitate loads a server as an external tool's command line says, and prints what that tool
// would print, with dyno's figures. Each tool is a table of flags, a template of its output, and notes
// on the figures that dyno defines otherwise.
//
// Invariant: a figure that the tool computes from others that it prints is computed from those that
// are printed here. Rates count what the tool's rates count.
package imitate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/document"
	"dyno/internal/endpoint"
	"dyno/internal/loader"
	"dyno/internal/result"
	"dyno/internal/summary"
)

// Tool is an external tool whose command line and output dyno imitates.
type Tool struct {
	Name       string
	Examples   []string // arguments
	OptionsEnd bool     // at the URL: an option after it is an error
	Version    string   // the letter of the option that prints the version; "": it has only a long form

	flags    []flag
	defaults func(*Order)
	complete func(*Order) error // checks the order, and completes the request
	asks     bool               // for a response before the load, from which it learns
	verifies bool               // the certificate of an https:// URL

	encrypted  bool // over TLS, the bytes on the wire are counted
	unanswered bool // its rate counts requests without a response, too

	intro    func(*Order) string
	progress func(*Order, moment) (stdout, stderr string)
	print    func(io.Writer, *figures) error
	notes    []note
}

// Tools are the tools that dyno imitates.
var Tools = []*Tool{wrk, ab, bombardier}

// Order is what a command line asks for. Its fields beyond the request are options of one tool or
// several that decide what is printed.
type Order struct {
	loader.Request
	tool *Tool

	secure  endpoint.TLS // of an https:// URL
	opposed string       // an option that dyno does not support with TLS
	latency bool         // print percentiles
	timed   bool         // ab: the load ends after a time

	quiet, variable, tolerant, bare, plain bool // ab: -q -l -r -d -S
	csv                                    string
	contentType                            string
	cookies                                []string

	asked                         int64  // bombardier: connections, as given
	printed                       string // the letters of the parts to print
	silent, json, stream, dropped bool   // dropped: a body that is not sent
	client, body                  string
	headers                       []bombardierHeader // as given
}

// Order returns the order of a command line without options.
func (t *Tool) Order(dyno string) *Order {
	o := &Order{tool: t}
	o.Dyno = dyno
	t.defaults(o)
	return o
}

// Flag is an option of a tool.
type Flag struct {
	Short, Long string // Short is a letter; either may be ""
	Value       string // the word for its value in the help; "": it is a switch
	Usage       string
	Set         func(text string) error // text is "" for a switch
}

// flag is an entry of a tool's table: what it means, and what it does to an order.
type flag struct {
	short, long, value, usage string
	set                       func(*Order, string) error
}

// Flags returns the options of the tool that change o.
func (o *Order) Flags() []Flag {
	list := make([]Flag, len(o.tool.flags))
	for i, f := range o.tool.flags {
		list[i] = Flag{f.short, f.long, f.value, f.usage, func(text string) error { return f.set(o, text) }}
	}
	return list
}

// without returns the setter of an option that dyno does not support.
func without(why string) func(*Order, string) error {
	return func(*Order, string) error { return fmt.Errorf("not supported: %s", why) }
}

// opposed is the setter of an option that changes nothing without TLS, and is not supported with it.
func opposed(option string) func(*Order, string) error {
	return func(o *Order, _ string) error { o.opposed = option; return nil }
}

// on returns the setter of a switch.
func on(set func(*Order)) func(*Order, string) error {
	return func(o *Order, _ string) error { set(o); return nil }
}

// text returns the setter of an option that takes any text.
func text(set func(*Order, string)) func(*Order, string) error {
	return func(o *Order, s string) error { set(o, s); return nil }
}

// moment is how far a load is.
type moment struct {
	before, done int64 // responses and errors: at the last moment, and now
	elapsed      time.Duration
	over         bool
	columns      int // of the terminal on stdout; 0: it is none
}

// Run makes the load at url and prints as the tool does: the tool's output on stdout, its progress
// where it shows it, and on stderr the warnings and what differs. columns is the width of the terminal
// on stdout, 0 if it is none. After an interruption it prints the figures until then.
func (o *Order) Run(ctx context.Context, url string, stdout, stderr io.Writer, columns int,
) (*summary.Summary, error) {
	t := o.tool
	o.URL = url
	if err := t.complete(o); err != nil {
		return nil, err
	}
	if strings.HasPrefix(strings.ToLower(o.URL), "https://") {
		if o.opposed != "" {
			return nil, o.usagef("%s is not supported with https; omit it", o.opposed)
		}
		o.TLS = o.secure
		o.TLS.Insecure = o.TLS.Insecure || !t.verifies
	}
	p, err := loader.New(ctx, o.Request)
	if err != nil {
		return nil, err
	}
	f := &figures{Order: o}
	if t.asks {
		if f.first, err = p.Ask(ctx); err != nil {
			return nil, err
		}
		if !o.variable && o.Method != "HEAD" {
			n := int64(len(f.first.Body))
			o.ExpectLength = &n
		}
		if p, err = loader.New(ctx, o.Request); err != nil {
			return nil, err
		}
	}
	io.WriteString(stdout, t.intro(o))
	show := o.show(stdout, stderr, columns)
	s, err := p.Run(ctx, &loader.Files{}, func(i result.Interval) {
		show(ended(&i.Load), time.Duration(i.StartNS+i.LengthNS), false)
	})
	if err != nil {
		return nil, o.reworded(err)
	}
	f.Summary, f.Seconds = s, float64(s.Load.Wall())/1e9
	show(ended(&s.Load), time.Duration(s.Load.Wall()), true)
	if err := t.print(stdout, f); err != nil {
		return s, err
	}
	if !o.silent {
		f.say(stderr)
	}
	return s, nil
}

// show returns a function that prints the progress: add counts requests that have ended since its
// last call or, at the end of the load, in all.
func (o *Order) show(stdout, stderr io.Writer, columns int) func(n int64, elapsed time.Duration, over bool) {
	done := int64(0)
	return func(n int64, elapsed time.Duration, over bool) {
		before := done
		if done = n; !over {
			done += before
		}
		out, err := o.tool.progress(o, moment{before, done, elapsed, over, columns})
		io.WriteString(stdout, out)
		io.WriteString(stderr, err)
	}
}

// ended returns the number of requests that have a response, or will never have one.
func ended(l *result.Load) int64 { return l.Succeeded + l.Failed + l.Errored() }

// note is said of figures that dyno defines otherwise than the tool. It returns "" where that makes
// no difference.
type note func(f *figures) string

// say prints the warnings of the load, and what differs from the tool.
func (f *figures) say(stderr io.Writer) {
	for _, w := range f.Warnings() {
		if w.ID != summary.Unsteady { // which is of a rate that is not printed here
			fmt.Fprintf(stderr, "dyno: WARNING: %s\n", document.Visible(w.Text))
		}
	}
	head := fmt.Sprintf("dyno: what differs from %s:\n", f.tool.Name)
	for _, n := range slices.Concat(f.tool.notes, common) {
		if text := n(f); text != "" {
			fmt.Fprintf(stderr, "%s  - %s\n", head, text)
			head = ""
		}
	}
}

// common are the notes that every tool has.
var common = []note{
	func(f *figures) string {
		return fmt.Sprintf("time begins when all connections are open; %s counts their opening", f.tool.Name)
	},
	func(f *figures) string {
		if f.Counted() == f.Load.Succeeded {
			return ""
		}
		what := "response"
		if f.tool.unanswered {
			what = "complete request"
		}
		return fmt.Sprintf("rates count every %s, as %s does; dyno's own counts right responses, %s of %s: %.2f/s",
			what, f.tool.Name, document.Whole(f.Load.Succeeded), document.Whole(f.Counted()), f.over(f.Load.Succeeded))
	},
	func(f *figures) string {
		if len(f.Load.TLS) == 0 || f.tool.encrypted {
			return ""
		}
		return fmt.Sprintf("bytes are counted encrypted, with handshakes; %s counts them decrypted", f.tool.Name)
	},
}

// always returns a note that is said of every load.
func always(text string) note { return func(*figures) string { return text } }

// Failed reports whether the load did not come to its end. What was answered, and whether, does not
// matter, as with the tools.
func Failed(s *summary.Summary) bool {
	warnings := s.Warnings()
	return summary.Has(warnings, summary.Ended) || summary.Has(warnings, summary.Interrupted) ||
		summary.Has(warnings, summary.Ledger)
}

// Called returns the arguments of dyno, where it may be called by the name of a tool: a link of that
// name makes `wrk -c 10 URL` the same as `dyno wrk -c 10 URL`.
func Called(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	name := args[0][strings.LastIndexAny(args[0], `/\`)+1:]
	name = strings.TrimSuffix(name, ".exe")
	if slices.ContainsFunc(Tools, func(t *Tool) bool { return t.Name == name }) {
		return slices.Concat([]string{name}, args[1:])
	}
	return args[1:]
}

// hasHeader reports whether the command line gives a header of that name.
func (o *Order) hasHeader(name string) bool {
	return slices.ContainsFunc(o.Headers, func(line string) bool {
		got, _, _ := strings.Cut(line, ":")
		return strings.EqualFold(strings.TrimSpace(got), name)
	})
}

// sends adds headers that the tool sends by itself, unless the command line gives its own.
func (o *Order) sends(lines ...string) {
	for _, line := range lines {
		if name, _, _ := strings.Cut(line, ":"); !o.hasHeader(name) {
			o.Headers = append(o.Headers, line)
		}
	}
}

// usagef is the error of a command line, in the words of the tool's own limits.
func (o *Order) usagef(format string, args ...any) error {
	return conf.Usagef("%s: %w", o.tool.Name, fmt.Errorf(format, args...))
}
