package report

import (
	"strings"
	"testing"

	"dyno/internal/record"
)

// TestNamesTheMachines: the short answer and the full report say which machines did what.
func TestNamesTheMachines(t *testing.T) {
	d := fixture()
	d.Run.Host = record.Host{Name: "srv1", OS: "Debian", CPU: "AMD EPYC 7763", CPUs: 64, MemoryBytes: 1 << 36,
		BootID: "a", ServerCPUs: []int{0, 1, 2, 3}, Generators: []record.Host{
			{Name: "gen1", CPU: "Xeon", CPUs: 32, BootID: "b"}, {Name: "gen2", CPU: "Xeon", CPUs: 32, BootID: "c"},
			{Name: "gen3", CPU: "Xeon", CPUs: 16, BootID: "a"}}}
	short, full, page := string(written(t, Text, d)), string(written(t, inFull, d)), string(written(t, HTML, d))
	for _, c := range []struct{ in, want string }{
		{short, "on srv1, loaded by gen1, gen2 and gen3"},
		{full, "Servers: srv1: AMD EPYC 7763, 64 CPUs (servers on 0-3), 64.0 GiB, Debian"},
		{full, "Generators: gen1 and gen2: Xeon, 32 CPUs"}, {full, "; gen3: Xeon, 16 CPUs"},
		{page, "on srv1, loaded by gen1, gen2 and gen3"}, {page, "gen1 and gen2: Xeon, 32 CPUs"},
	} {
		if in := strings.Join(strings.Fields(c.in), " "); !strings.Contains(in, c.want) {
			t.Errorf("no %q in\n%s", c.want, in[max(0, strings.Index(in, "Servers: ")):][:300])
		}
	}
	for range 9 {
		d.Run.Host.Generators = append(d.Run.Host.Generators, record.Host{Name: "more", CPU: "Xeon"})
	}
	if got := where(&d.Run.Host); got != "on srv1, loaded by 12 machines" {
		t.Error(got)
	}
	d.Run.Host = record.Host{Pinned: true, Generators: []record.Host{{Name: "gen1", CPU: "Xeon", CPUs: 32}}}
	full = strings.Join(strings.Fields(string(written(t, inFull, d))), " ")
	for _, want := range []string{"Servers: unknown: they were running already", "Generators: gen1: Xeon, 32 CPUs"} {
		if !strings.Contains(full, want) {
			t.Errorf("of servers at URLs: no %q in\n%s", want, full)
		}
	}
	if got := where(&d.Run.Host); got != "loaded by gen1" {
		t.Error(got)
	}
}
