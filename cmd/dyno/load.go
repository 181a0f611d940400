package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/loader"
	"dyno/internal/record"
	"dyno/internal/report"
)

// loadFlags are the flags of dyno load.
type loadFlags struct {
	loader.Request
	json, quiet, latency bool
	fleet                string // file that names the machines which make the load; "": this one

	names []string // all flags, in help order
	cmd   *cobra.Command
}

func loadCommand() *cobra.Command {
	f := &loadFlags{}
	cmd := &cobra.Command{
		Use:   "load [flags] [URL …]",
		Short: "Load one HTTP server and report rates, latencies and errors",
		Long: "load sends requests to one HTTP server, over HTTP/1.1 or HTTP/2, in the clear or over TLS, checks\n" +
			"every response, and prints rates, latencies, errors and the load generator's own CPU use. Without\n" +
			"--rate it is a closed loop: each connection sends its next request as soon as it has a response. With\n" +
			"--rate it is an open loop: latency counts from when a request was due. See dyno help load.\n\n" +
			"Of k6, VUs are -c, an arrival rate is -r or, in stages, --stages, and thresholds are --slo. Of wrk, ab,\n" +
			"bombardier and others, dyno help load has a table.\n\n" +
			"Exit codes: 0 success; 1 when a request failed, unless --slo limits errors, an objective of --slo " +
			"was\n" +
			"missed or could not be determined, --find confirmed no rate, the load was interrupted, connections " +
			"could\n" +
			"not be made, the server was gone at the end, or, with --strict, the generator was at its limit or the server stood still; 2 usage.",
		Example: "  dyno load http://127.0.0.1:8080/\n" +
			"  dyno load -c 125 -n 5M '127.0.0.1:8080/api/values/{int:1..1000}'\n" +
			"  dyno load -r 1k -d 30s --warmup 5s --slo 'p99<20ms,errors<0.1%' http://127.0.0.1:8080/\n" +
			"  dyno load --path /users=3 --path '/users/{int:1..100}=7' --json 127.0.0.1:8080 >out.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return loadFlagError(err, f.names) })
	cmd.Flags().SortFlags = false
	f.cmd = cmd
	f.defineLoad()
	heading(cmd.Flags(), "Load")
	f.defineRequest()
	f.defineRest()
	return cmd
}

// run plans the load, runs it and prints the summary.
func (f *loadFlags) run(args []string) error {
	for _, arg := range args {
		if _, err := strconv.Atoi(arg); err == nil && f.Follow > 0 {
			return usagef("%s is no URL; if it is the number of --follow, write --follow=%[1]s", arg)
		}
	}
	drawSeed(f.cmd)
	f.Dyno, f.Command = version(), repeated(f.cmd, args)
	if len(args) > 0 {
		f.URL, f.URLs = args[0], args[1:]
	}
	if f.fleet != "" {
		return loadByFleet(f.cmd, f)
	}
	p, err := loader.New(f.cmd.Context(), f.Request)
	if err != nil {
		return err
	}
	if f.Find != nil {
		return f.find(p)
	}
	files, err := p.Open()
	if err != nil {
		return err
	}
	defer files.Close()
	s, err := f.watch(p)
	if err != nil {
		return err
	}
	return f.print(s, func() error { return files.Write(s) }, files.Close)
}

// print prints the summary, completes its files and returns the load's outcome.
func (f *loadFlags) print(s *report.Summary, rest ...func() error) error {
	stdout := f.cmd.OutOrStdout()
	s.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	write := report.SummaryText
	if f.json {
		write = report.SummaryJSON
	}
	err := write(stdout, s)
	for _, do := range rest {
		err = errors.Join(err, do())
	}
	if err != nil {
		return err
	}
	if f.Failed(s) {
		return exit(exitFailed)
	}
	return nil
}

// find searches for the highest rate, shows its probes on stderr and prints the result.
func (f *loadFlags) find(p *loader.Plan) error {
	stdout, stderr := f.cmd.OutOrStdout(), f.cmd.ErrOrStderr()
	n := 0
	tick := func(probe report.Probe) {
		if n++; !f.quiet {
			fmt.Fprintf(stderr, "probe %d: %s, %s for %v: %s\n", n, probe.Kind, report.Rate(probe.PerSec),
				probe.Length.Round(time.Millisecond), cmp.Or(probe.Outcome(), "done"))
		}
	}
	if !f.quiet {
		fmt.Fprintln(stderr, "loading "+document.Clean(p.Target+": "+p.Did))
	}
	found, failed := p.Search(f.cmd.Context(), tick)
	if found == nil {
		return failed
	}
	found.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	write := report.FoundText
	if f.json {
		write = report.FoundJSON
	}
	if err := errors.Join(failed, write(stdout, found)); err != nil {
		return err
	}
	if !found.OK() {
		return exit(exitFailed)
	}
	return nil
}

// watch runs the load and shows its progress on stderr.
func (f *loadFlags) watch(p *loader.Plan) (*report.Summary, error) {
	var tick func(record.Interval)
	if !f.quiet {
		stderr := f.cmd.ErrOrStderr()
		columns := func() int { return width(stderr) }
		view := report.NewLoad(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", columns,
			p.Target+": "+p.Did, p.Length, p.Requests)
		view.Start()
		defer view.Close()
		tick = view.Tick
	}
	return p.Run(f.cmd.Context(), tick)
}

// add defines a flag.
func add[T any](f *loadFlags, name, short string, to *T, text, kind string, parse func(string) (T, error),
	usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().VarP(flagOf(to, text, kind, parse), name, short, usage)
}

func (f *loadFlags) addText(name, short string, to *string, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().StringVarP(to, name, short, "", usage)
}

func (f *loadFlags) addBool(name, short string, to *bool, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().BoolVarP(to, name, short, false, usage)
}

func (f *loadFlags) addLines(name, short string, to *[]string, usage string) {
	f.names = append(f.names, name)
	f.cmd.Flags().VarP(&lines{to}, name, short, usage)
}

// hide omits a flag from the help.
func (f *loadFlags) hide(name string) { f.cmd.Flags().Lookup(name).Hidden = true }

// defineLoad defines the flags for the load's amount, rate and connections.
func (f *loadFlags) defineLoad() {
	add(f, "connections", "c", &f.Connections, "125", "n", parseUpTo(1_000_000), "connections")
	add(f, "requests", "n", &f.Requests, "", "n", parseCount, "end after this number of requests: 5000, 10k, 5M")
	add(f, "duration", "d", &f.Duration, "", "time", parseSpan,
		"end after this time: 10s, 2m, or seconds (default 10s, unless -n is given)")
	add(f, "z", "z", &f.Duration, "", "time", parseSpan, "")
	add(f, "warmup", "", &f.Warmup, "", "time", parseSpan,
		"load for this time first, without counting it")
	add(f, "rate", "r", &f.Rate, "", "rate", parseRate, "open loop: requests per second, however long responses "+
		"take: 1000, 1k, 50/s, 10/ms, 600/m")
	add(f, "R", "R", &f.Rate, "", "rate", parseRate, "")
	add(f, "arrivals", "", &f.Arrivals, "constant", "how", oneOf("constant", "poisson"),
		"open loop: constant or poisson gaps")
	add(f, "stages", "", &f.Stages, "", "list", parseStages,
		`open loop: stages of rates, such as "10s@1000,30s@1000..5000"`)
	add(f, "find", "", &f.Find, "", "objective", report.ParseObjectives,
		"search the highest rate that keeps an objective, such as 'p99<10ms' or 'p99<10ms,errors<1%' (errors: "+
			"default 0.1%), by open loops; -d is the time for that, default about 2m")
	add(f, "think", "", &f.Think, "", "time", parseThink, "closed loop: pause between a response and the next "+
		"request: 100ms, or exp:100ms for random pauses with that mean")
	add(f, "ramp-up", "", &f.RampUp, "", "time", parseSpan,
		"closed loop: add the connections one by one over this time")
	add(f, "pipeline", "", &f.Pipeline, "1", "n", parseUpTo(1000), "requests in flight on each connection")
	f.addBool("http2", "", &f.HTTP2, "speak HTTP/2: by ALPN at an https:// URL, with prior knowledge at an http:// URL")
	add(f, "streams", "", &f.Streams, "1", "n", parseUpTo(1000), "HTTP/2: requests in flight on each connection")
	f.addBool("no-keepalive", "", &f.NoKeepalive, "open a new connection for each request")
	f.addBool("disable-keepalive", "", &f.NoKeepalive, "")
	for _, alias := range []string{"z", "R", "disable-keepalive"} {
		f.hide(alias)
	}
}

// defineRequest defines the flags for the requests and the expected responses.
func (f *loadFlags) defineRequest() {
	f.names = append(f.names, askingFlags(f.cmd.Flags(), &f.Request.AdHoc)...)
	add(f, "follow", "", &f.Follow, "", "n", parseUpTo(1000), "follow redirects to the same server, up to this number "+
		"for each request; without a number 10")
	f.cmd.Flags().Lookup("follow").NoOptDefVal = "10"
	f.addText("targets", "", &f.Targets, "file of requests as of vegeta: lines METHOD URL, then headers and @FILE of "+
		"the body; - is standard input; the URL is then optional")
	f.addText("scenario", "", &f.Scenario, "scenario file: a weighted mix of requests and their expected "+
		"responses; the URL then gives only the host")
	f.addText("unix", "", &f.Unix, "Unix socket to connect to; the URL is then optional")
	f.addLines("resolve", "", &f.Resolve, "host:port:address to connect to, as in curl")
	f.cmd.Flags().Uint64Var(&f.Seed, "seed", 0, "seed of random parts and arrivals (default: drawn)")
	heading(f.cmd.Flags(), "Requests")
	add(f, "timeout", "", &f.Timeout, "10s", "time", parseSpan, "give up a request after this time")
	add(f, "expect-body", "", &f.ExpectBody, "", "string", parseText,
		"content that every body must have: text or @FILE")
	f.names = append(f.names, "seed")
	heading(f.cmd.Flags(), "What counts as success")
	f.names = append(f.names, tlsFlags(f.cmd.Flags(), &f.TLS)...)
	f.addBool("no-resume", "", &f.TLS.NoResume, "make every handshake a full one: resume no session")
	heading(f.cmd.Flags(), "TLS (https:// URLs)")
}

// defineRest defines the flags for the generator, the verdict and the output.
func (f *loadFlags) defineRest() {
	add(f, "threads", "", &f.Threads, "", "n", parseUpTo(4096), "event loops (default: one per CPU, or per two "+
		"CPUs if the server is on this machine, each with at least 16 connections)")
	add(f, "engine", "", &f.Engine, loader.DefaultEngine(), "name", oneOf("epoll", "gonet"),
		"load engine: epoll (Linux), or gonet, which uses Go's net package")
	fleetFlag(f)
	heading(f.cmd.Flags(), "Generator")
	add(f, "slo", "", &f.SLO, "", "list", report.ParseObjectives,
		"objectives, such as 'p99<20ms,errors<0.1%'; the exit code is 1 if one is missed or cannot be determined")
	f.addBool("strict", "", &f.Strict, "exit with 1 also if the generator was at its limit or stood still, or the server did")
	f.addBool("json", "", &f.json, "print JSON (dyno help format)")
	f.addText("csv", "", &f.CSV, "write a row per second to this CSV file")
	f.addBool("quiet", "", &f.quiet, "show no progress")
	f.addBool("latency", "l", &f.latency, "")
	f.hide("latency")
	heading(f.cmd.Flags(), "Exit code and output")
}
