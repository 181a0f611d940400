package main

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

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
		out, err := f.command("ctl", append([]string{"compare", "--fleet", f.file, "--budget", "30s", "--rate", "none",
			"--connections", "8", "--run-folder", f.out}, more...)...).CombinedOutput()
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
