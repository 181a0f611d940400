package main

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

const relays = "[[server]]\nname = \"srv1\"\naddress = \"10.9.0.3\"\n[[generator]]\nname = \"gen1\"\n" +
	"[[service]]\nname = \"be1\"\naddress = \"10.9.0.4\"\n"

// serviceOnFleet: contestants on one host call a service on another, which is loaded alone first, is frozen
// with them, and has its CPU time read there. The run goes on after its machine was lost, and after its controller was
// killed.
func serviceOnFleet(t *testing.T) {
	downloaded(t, "contestants/go/go-relay", "contestants/go/go-relay-article", "services/records")
	f := newFleetRun(t, relays, "ctl", "gen1", "srv1", "be1")
	f.agent("gen1", "srv1", "be1")
	args := []string{"run", "--contestants", "go-relay,go-relay-article", "--connections", "8", "--records", "3",
		"--seed", "15", "--fleet", f.file}
	out, err := f.command("ctl", append(args, "--placement", "2", "--run-folder", f.out+"-2")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--placement asks for 2 CPUs, but srv1 has 1 for servers") {
		t.Fatalf("srv1 has one CPU: %v: %s", err, out)
	}
	resume := []string{"run", "--resume", f.out, "--fleet", f.file}
	f.interrupted(30, "be1", append(args, "--placement", "1", "--protocol", "sweep", "--epochs", "3", "--controls", "ref",
		"--run-folder", f.out)...)
	f.interrupted(34, "", resume...)
	c, l := f.begin(resume...)
	if err := c.Wait(); err != nil && !strings.Contains(l.String(), busyMachine) {
		t.Fatalf("%v\n%s\n%s\n%s", err, l, f.logs["srv1"], f.logs["be1"])
	}
	skipUnavailable(t, l.String())
	run, err := record.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	f.judgeService(run)
	if out, err := f.command("ctl", "report", f.out, "--verbose").CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "on be1 (") || !strings.Contains(string(out), "be1: ") {
		t.Errorf("the report does not say where the service ran: %v\n%s", err, out)
	}
	f.gone("after the run", 15*time.Second, f.names()...)
}

// judgeService checks the record of a run whose service had a machine of its own.
func (f *fleetRun) judgeService(run *record.Run) {
	t := f.t
	h := run.Host
	if h.Service == nil || h.Service.Name != "be1" || !h.ServiceApart() || len(h.Service.ServerCPUs) == 0 {
		t.Fatalf("%+v", h)
	}
	if run.End == nil || run.End.Reason != "last analysis" && run.End.Reason != "budget" || len(run.Failures) > 0 {
		t.Fatalf("%+v, %+v", run.End, run.Failures)
	}
	if len(run.Resumes) != 2 {
		t.Errorf("resumed %+v", run.Resumes)
	}
	if b := run.Contestant("records"); b == nil || !b.Service || b.Sources == "" || b.BinaryHash == "" {
		t.Errorf("the service is %+v", b)
	}
	for _, l := range run.Launches {
		if own := l.Contestant == "records"; own && len(l.CPUs) != len(h.Service.ServerCPUs) ||
			!own && (l.Processors == nil || len(l.Processors.CPUs) != 1) {
			t.Errorf("%s was started on %v, %+v", l.Contestant, l.CPUs, l.Processors)
		}
	}
	alone := 0
	for _, tr := range run.Trials {
		c := tr.Causes
		if tr.Contestant == "records" {
			alone++
			if tr.Services != nil || tr.Server.CPUNS == nil || *tr.Server.CPUNS == 0 {
				t.Errorf("the service alone: %+v", tr.Server)
			}
		} else if b := tr.Services; len(b) != 1 || b[0].CPUNS == nil || b[0].PrivateBytes == nil || tr.Server.CPUNS == nil ||
			tr.Contestant != "ref" && *b[0].CPUNS <= 0 { // which asks once per connection
			t.Errorf("%s: the service used %+v", tr.Contestant, b)
		}
		if c.ServiceCPUs != len(h.Service.ServerCPUs) || c.GeneratorShared {
			t.Errorf("%s: %+v", tr.Contestant, c)
		}
	}
	if alone == 0 {
		t.Error("nobody knows what the service does alone")
	}
}

// compareURLsOnFleet: two generators load servers that nobody of the fleet has started.
func compareURLsOnFleet(t *testing.T) {
	f := newFleetRun(t, "[[generator]]\nname = \"gen1\"\n[[generator]]\nname = \"gen2\"\n", "ctl", "gen1", "gen2", "srv")
	f.agent("gen1")
	f.agent("gen2")
	for _, port := range []string{"80", "81"} {
		f.start("srv", "refserver", "null", "--addr", "10.9.0.4:"+port)
	}
	f.start("ctl", "refserver", "null", "--addr", "127.0.0.1:80")
	time.Sleep(500 * time.Millisecond)
	compare := func(more ...string) (string, error) {
		out, err := f.command("ctl", append([]string{"compare", "--fleet", f.file, "--budget", "40s", "--connections", "8",
			"--run-folder", f.out}, more...)...).CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct{ more, want string }{
		{"http://10.9.0.4/ net-http --scenario hello", "a URL is compared with URLs alone"},
		{"http://10.9.0.4/ http://127.0.0.1/", "http://127.0.0.1/: each generator would take that for its own machine"},
		{"http://10.9.0.4/ http://10.9.0.4:81/ --insecure", "the other TLS flags"},
	} {
		if out, err := compare(strings.Fields(c.more)...); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v: %s; want %s", c.more, err, out, c.want)
		}
	}
	out, err := compare("http://10.9.0.4/", "http://10.9.0.4:81/")
	if err != nil && !strings.Contains(out, busyMachine) {
		t.Fatalf("%v: %s", err, out)
	}
	run, err := record.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	if h := run.Host; h.CPUs != 0 || len(h.Generators) != 2 || len(run.Failures) > 0 || len(run.Trials) == 0 {
		t.Fatalf("%+v, %+v, %d trials", h, run.Failures, len(run.Trials))
	}
	for _, tr := range run.Trials {
		if p := tr.Load.Parts; len(p) != 2 || tr.Load.Failed > 0 || tr.Load.Succeeded == 0 || tr.Server.CPUNS != nil ||
			tr.Generator.CPUNS == nil || tr.Causes.ServerCPUs != 0 || tr.Causes.GeneratorCPUs == 0 {
			t.Fatalf("%+v, %+v", tr, p)
		}
	}
	if text, err := f.command("ctl", "report", f.out, "--verbose").CombinedOutput(); err != nil ||
		!strings.Contains(string(text), "loaded by gen1 and gen2") || strings.Contains(string(text), "the server's CPUs, ") ||
		!strings.Contains(string(text), "machines that dyno cannot read") {
		t.Errorf("%v: %s", err, text)
	}
}
