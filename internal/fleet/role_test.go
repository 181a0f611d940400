package fleet

import (
	"reflect"
	"strings"
	"testing"

	"dyno/internal/record"
)

// TestRoomOnTheServersMachine: a level's CPUs are on the servers' machine.
func TestRoomOnTheServersMachine(t *testing.T) {
	h := &Host{server: "srv1", cpus: 2}
	for _, c := range []struct {
		machine record.Host
		refused string
	}{
		{record.Host{ServerCPUs: []int{0, 1}}, ""},
		{record.Host{ServerCPUs: []int{0}}, "--placement asks for 2 CPUs, but srv1 has 1 for servers"},
		{record.Host{ServerCPUs: []int{0, 1}, QuotaCPUs: 1.5}, "but srv1 has 1.5 for servers"},
	} {
		if err := h.room(&c.machine); (err == nil) != (c.refused == "") ||
			err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestMachinesOfARun: the machines that a plan needs carry it out, and each is observed.
func TestMachinesOfARun(t *testing.T) {
	f := &Fleet{Servers: []Machine{{Name: "srv1"}}, Generators: []Machine{{Name: "gen1"}, {Name: "gen2"}}}
	if all := strings.Join(f.InRun(&record.Plan{}), " "); all != "srv1 gen1 gen2" {
		t.Error(all)
	}
	if all := strings.Join(f.InRun(&record.Plan{Servers: record.Servers{Attached: []string{"a"}}}),
		" "); all != "gen1 gen2" {
		t.Error(all)
	}
	h := &Host{machines: f.InRun(&record.Plan{}), server: "srv1", generators: []string{"gen1", "gen2"}}
	seen := func(cpus int) Watched {
		return Watched{Causes: record.Causes{ServerCPUs: cpus, BackgroundServerNS: int64(cpus)}}
	}
	load := Watched{Causes: record.Causes{GeneratorCPUs: 8, BackgroundGeneratorNS: 1, StealNS: 2}}
	if c := h.merged([]Watched{seen(4), load, load}); !reflect.DeepEqual(c, record.Causes{ServerCPUs: 4,
		BackgroundServerNS: 4, GeneratorCPUs: 16, BackgroundGeneratorNS: 2, StealNS: 4,
		Machines: []record.MachineCauses{
			{Machine: "srv1", CPUs: 4, BackgroundNS: 4},
			{Machine: "gen1", Generator: true, CPUs: 8, BackgroundNS: 1, StealNS: 2},
			{Machine: "gen2", Generator: true, CPUs: 8, BackgroundNS: 1, StealNS: 2}}}) {
		t.Errorf("%+v", c)
	}
}

// TestBesideOnOneKernel: programs of the run are no background, not even those of other hosts with the same kernel.
func TestBesideOnOneKernel(t *testing.T) {
	h := &Host{machines: []string{"srv1", "gen1", "gen2"}, server: "srv1", generators: []string{"gen1", "gen2"},
		described: map[string]record.Host{"srv1": {BootID: "a"}, "gen1": {BootID: "b"}, "gen2": {BootID: "a"}}, here: "a"}
	all := []Watched{{record.Causes{BackgroundServerNS: 20}, 2}, {record.Causes{BackgroundGeneratorNS: 10}, 1},
		{record.Causes{BackgroundGeneratorNS: 30}, 3}}
	h.explain(all, 7, 4)
	for i, want := range []record.Causes{{BackgroundServerNS: 20 - 7 - 3 - 4}, {BackgroundGeneratorNS: 10},
		{BackgroundGeneratorNS: 30 - 7 - 2 - 4}} {
		if got := all[i].Causes; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v; want %+v", h.machines[i], got, want)
		}
	}
}

// TestAnotherRolesOrders: an agent refuses an order for a role that its machine's owner does not allow, and
// logs a line, whatever the controller's file says; and the controller does not begin with such an agent.
func TestAnotherRolesOrders(t *testing.T) {
	b := gathered(t, "srv", "gen1")
	if a := b.send(t, "srv", b.order("srv", string(toOpen), Loading{})); !a.refused(
		`"open" is an order for a generator, and this agent is a server;`) {
		t.Errorf("a server makes load: %+v", a)
	}
	b.agentLog.once(t, `refused an order: "open"`)
	if a := b.send(t, "gen1", b.order("gen1", "tree", wanted{})); !a.refused(
		`"tree" is an order for a server, and this agent is a generator;`) {
		t.Errorf("a generator gets a folder: %+v", a)
	}
	b.agentLog.once(t, `refused an order: "tree"`)
	b.fleet.Servers = append(b.fleet.Servers, Machine{Name: "gen1"})
	if err := b.Gather(t.Context(), b.All()); err == nil || !strings.Contains(err.Error(), "gen1 is a server in "+
		"fleet.toml, but its agent allows only the role generator; run dyno fleet up, or start it there with dyno agent "+
		"--role server") {
		t.Errorf("%v", err)
	}
}

func TestRoles(t *testing.T) {
	f := written(t, "srv", "gen1")
	var got []string
	for _, m := range f.Machines() {
		got = append(got, m.Name+" "+string(f.Role(m.Name)))
	}
	if want := "srv server, gen1 generator"; strings.Join(got, ", ") != want {
		t.Errorf("%v; want %s", got, want)
	}
	if r := (&Agent{}).role(); r != Generator {
		t.Errorf("without permission an agent is a %s", r)
	}
	if r, err := ParseRole("server"); err != nil || r != Server {
		t.Error(r, err)
	}
}
