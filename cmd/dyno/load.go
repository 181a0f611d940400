package main

import (
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/load"
)

// loadFlags are the flags of dyno load, as typed.
type loadFlags struct {
	connections, requests, threads, pipeline, perConnection int64
	duration, rampUp, timeout                               time.Duration
	rate                                                    float64
	stages                                                  []load.Stage
	think                                                   load.Pause
	arrivals, engine, spin                                  string
	noKeepalive, cookies                                    bool
	cpus                                                    []int
	locals                                                  []string

	unix                             string
	resolve, headers                 lines
	method, body, bodyFile, scenario string
	template                         bool
	seed                             uint64

	expectStatus, expectBody, expectSHA256 string
	expectLength                           int64
	expectHeaders                          lines
	maxErrors                              float64
	strict                                 bool

	json, quiet, latency bool
	csv, hdr             string

	names []string // of all flags, in the order of the help
	cmd   *cobra.Command
}

func loadCommand() *cobra.Command {
	f := &loadFlags{}
	cmd := &cobra.Command{
		Use:   "load [flags] URL",
		Short: "Load one HTTP server, and say how it did",
		Long: "load sends requests to one HTTP/1.1 server, checks every answer, and prints what came of it: rates, latencies, errors, and how the\n" +
			"generator itself fared. Without --rate it is a closed loop, in which each connection asks again as soon as it has its answer; with it an\n" +
			"open loop, in which latency counts from when a request was due. See doc/load.md.\n\n" +
			"Exit codes: 0; 1 when more requests failed than --max-errors allows, connections were missing, the server was gone at the end, or, with\n" +
			"--strict, the generator was at its limit; 2 usage.",
		Example: "  dyno load http://127.0.0.1:8080/\n" +
			"  dyno load -c 125 -n 5m '127.0.0.1:8080/api/values/{int:1..1000}'\n" +
			"  dyno load -r 1k -d 30s --json http://127.0.0.1:8080/ >out.json",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.plan(cmd.Context(), append(args, "")[0])
			if err != nil {
				return err
			}
			return p.run(cmd)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return loadFlagError(err, f.names) })
	cmd.Flags().SortFlags = false
	f.cmd = cmd
	f.defineLoad()
	f.defineRequest()
	f.defineRest()
	return cmd
}

// add defines a flag.
func add[T any](f *loadFlags, name, short string, to *T, text, kind string, parse func(string) (T, error), usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().VarP(flagOf(to, text, kind, parse), name, short, usage)
}

func (f *loadFlags) addText(name, short string, to *string, text, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().StringVarP(to, name, short, text, usage)
}

func (f *loadFlags) addBool(name, short string, to *bool, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().BoolVarP(to, name, short, false, usage)
}

func (f *loadFlags) addLines(name, short string, to *lines, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().VarP(to, name, short, usage)
}

// hide leaves a flag out of the help.
func (f *loadFlags) hide(name string) { f.cmd.Flags().Lookup(name).Hidden = true }

// changed reports whether one of the flags was given.
func (f *loadFlags) changed(names ...string) bool {
	for _, n := range names {
		if f.cmd.Flags().Changed(n) {
			return true
		}
	}
	return false
}

// defineLoad defines what says how much, how fast and over what.
func (f *loadFlags) defineLoad() {
	f.connections, f.pipeline, f.timeout = 125, 1, 10*time.Second
	add(f, "connections", "c", &f.connections, "125", "n", parseUpTo(1_000_000), "connections")
	add(f, "requests", "n", &f.requests, "", "n", parseCount, "end after so many requests: 5000, 10k, 5m")
	add(f, "duration", "d", &f.duration, "", "time", parseSpan, "end after this time: 10s, 2m, or seconds (default 10s, unless -n is given)")
	add(f, "z", "z", &f.duration, "", "time", parseSpan, "")
	add(f, "rate", "r", &f.rate, "", "rate", parseRate, "open loop: requests per second, whatever the answers take: 1000, 1k, 50/s, 10/ms, 600/m")
	add(f, "R", "R", &f.rate, "", "rate", parseRate, "")
	add(f, "arrivals", "", &f.arrivals, "constant", "how", oneOf("constant", "poisson"), "open loop: constant or poisson gaps")
	add(f, "stages", "", &f.stages, "", "list", parseStages, `open loop: rates one after another, such as "10s@1000,30s@1000..5000"`)
	add(f, "think", "", &f.think, "", "time", parseThink, "closed loop: pause between an answer and the next request: 100ms, or exp:100ms on average")
	add(f, "ramp-up", "", &f.rampUp, "", "time", parseSpan, "closed loop: let the connections join one by one over this time")
	add(f, "pipeline", "", &f.pipeline, "1", "n", parseUpTo(1000), "requests in flight on each connection")
	f.addBool("no-keepalive", "", &f.noKeepalive, "a new connection for each request")
	f.addBool("disable-keepalive", "", &f.noKeepalive, "")
	add(f, "requests-per-connection", "", &f.perConnection, "", "n", parseCount, "a new connection after so many requests")
	f.addBool("cookies", "", &f.cookies, "keep the cookies that each connection is given, and send them back")
	for _, alias := range []string{"z", "R", "disable-keepalive"} {
		f.hide(alias)
	}
}

// defineRequest defines what says what is sent where, and what must come back.
func (f *loadFlags) defineRequest() {
	f.addText("method", "m", &f.method, "", "method (default GET, with a body POST)")
	f.addLines("header", "H", &f.headers, "a header, \"Name: value\"; may be repeated")
	f.addText("body", "b", &f.body, "", "body: text, @FILE, or @- for standard input")
	f.addText("body-file", "f", &f.bodyFile, "", "file that holds the body")
	f.addBool("template", "", &f.template, "fill placeholders of the body and headers in too: {int:1..1000}, {uuid}, {seq}, {pick:a,b}; those of the URL always are")
	f.addText("scenario", "", &f.scenario, "", "file of a weighted mix of requests and their contracts; the URL then gives the host alone")
	f.addText("unix", "", &f.unix, "", "socket to connect to; the URL may then be left out")
	f.addLines("resolve", "", &f.resolve, "host:port:address to connect to, as in curl; may be repeated")
	add(f, "local-addr", "", &f.locals, "", "list", parseLocals, "IP addresses that connections leave from in turn, where ports run out")
	f.cmd.Flags().Uint64Var(&f.seed, "seed", 0, "seed of random parts and arrivals (default: drawn)")
	add(f, "timeout", "", &f.timeout, "10s", "time", parseSpan, "give a request up after this time")
	f.addText("expect-status", "", &f.expectStatus, "200-399", "status codes that count as success, such as 200,2xx,300-399")
	add(f, "expect-length", "", &f.expectLength, "", "n", parseLength, "bytes that every body must have")
	f.addText("expect-body", "", &f.expectBody, "", "what every body must be: text or @FILE")
	f.addText("expect-sha256", "", &f.expectSHA256, "", "SHA-256 of what every body must be, in hex")
	f.addLines("expect-header", "", &f.expectHeaders, "a header that every answer must have, \"Name\" or \"Name: value\"; may be repeated")
	f.names = append(f.names, "seed")
}

// defineRest defines what concerns the generator, the verdict and the output.
func (f *loadFlags) defineRest() {
	engine := "gonet"
	if runtime.GOOS == "linux" {
		engine = "epoll"
	}
	f.engine, f.arrivals, f.spin = engine, "constant", "auto"
	add(f, "threads", "", &f.threads, "", "n", parseUpTo(4096), "event loops (default: the CPUs, or half of them when the server is on this machine, and no more than leaves each 16 connections)")
	add(f, "cpus", "", &f.cpus, "", "list", parseCPUs, "CPUs that the event loops are pinned to, such as 1,3-5")
	add(f, "spin", "", &f.spin, "auto", "when", oneOf("auto", "on", "off"), "poll instead of sleeping, which takes a CPU per event loop; auto: in an open loop, where the server has other CPUs and one is left over")
	add(f, "engine", "", &f.engine, engine, "name", oneOf("epoll", "gonet"), "epoll (Linux), or gonet on Go's own network package")
	add(f, "max-errors", "", &f.maxErrors, "0", "share", parseShare, "share of requests that may fail before the exit code is 1: 0.001 or 0.1%")
	f.addBool("strict", "", &f.strict, "exit with 1, too, when the generator was at its limit or stood still")
	f.addBool("json", "", &f.json, "print JSON (doc/format.md)")
	f.addText("csv", "", &f.csv, "", "write a row per second to this file")
	f.addText("hdr", "", &f.hdr, "", "write a HdrHistogram log of every second to this file")
	f.addBool("quiet", "", &f.quiet, "show no progress")
	f.addBool("latency", "l", &f.latency, "")
	f.hide("latency")
}
