package fleet

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/record"
)

// TestServicesOrders: a service's machine starts only a service, and no other machine starts it.
func TestServicesOrders(t *testing.T) {
	b := gathered(t, "srv", "gen1", "service")
	for _, c := range []struct {
		agent, kind string
		body        any
		refused     string
	}{
		{"srv", string(toHost), Hosting{Address: "10.0.0.1", Service: "x"}, "this agent is a server: a server starts"},
		{"gen1", string(toHost), Hosting{}, `"host" is an order for a server or service, and this agent is a generator;`},
		{"gen1", string(toLaunch), Starting{}, `"launch" is an order for a server or service, and this agent is a generator;`},
		{"service", string(toHost), Hosting{}, "this agent is a service: a server starts"},
	} {
		if a := b.send(t, c.agent, b.order(c.agent, c.kind, c.body)); !a.refused(c.refused) {
			t.Errorf("%s: %s: %+v; want %s", c.agent, c.kind, a, c.refused)
		}
		b.agentLog.once(t, "refused an order: "+c.refused)
	}
	s := &session{agent: b.agents["service"]}
	if _, err := s.host(&Hosting{Address: "10.0.0.1", Service: "x", Contestants: []contestant.Manifest{{}}}); err == nil {
		t.Error("a service's machine starts contestants")
	}
}

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
	f := &Fleet{Servers: []Machine{{Name: "srv1"}}, Generators: []Machine{{Name: "gen1"}, {Name: "gen2"}},
		Services: []Machine{{Name: "be1"}}}
	p := &record.Plan{Services: []record.Service{{Name: "records"}}}
	if all := strings.Join(f.InRun(p), " "); all != "srv1 gen1 gen2 be1" {
		t.Error(all)
	}
	if all := strings.Join(f.InRun(&record.Plan{}), " "); all != "srv1 gen1 gen2" {
		t.Error(all)
	}
	if all := strings.Join(f.InRun(&record.Plan{Servers: record.Servers{Attached: []string{"a"}}}),
		" "); all != "gen1 gen2" {
		t.Error(all)
	}
	h := &Host{machines: f.InRun(p), server: "srv1", generators: []string{"gen1", "gen2"}, service: "be1",
		launchers: map[string]launcher{"be1": {serves: Hosting{Service: "records"}}}}
	seen := func(cpus int) Watched {
		return Watched{Causes: record.Causes{ServerCPUs: cpus, BackgroundServerNS: int64(cpus)}}
	}
	load := Watched{Causes: record.Causes{GeneratorCPUs: 8, BackgroundGeneratorNS: 1, StealNS: 2}}
	if c := h.merged([]Watched{seen(4), load, load, seen(2)}); !reflect.DeepEqual(c, record.Causes{ServerCPUs: 4,
		BackgroundServerNS: 4, ServiceCPUs: 2, BackgroundServiceNS: 2, GeneratorCPUs: 16, BackgroundGeneratorNS: 2, StealNS: 4,
		Machines: []record.MachineCauses{
			{Machine: "srv1", CPUs: 4, BackgroundNS: 4},
			{Machine: "gen1", Generator: true, CPUs: 8, BackgroundNS: 1, StealNS: 2},
			{Machine: "gen2", Generator: true, CPUs: 8, BackgroundNS: 1, StealNS: 2},
			{Machine: "be1", CPUs: 2, BackgroundNS: 2}}}) {
		t.Errorf("%+v", c)
	}
	if h.startsOn("records") != "be1" || h.startsOn("gin") != "srv1" {
		t.Error(h.startsOn("records"), h.startsOn("gin"))
	}
}

// TestBesideOnOneKernel: programs of the run are no background, not even those of other hosts with the same kernel.
func TestBesideOnOneKernel(t *testing.T) {
	h := &Host{machines: []string{"srv1", "gen1", "be1"}, server: "srv1", service: "be1", generators: []string{"gen1"},
		described: map[string]record.Host{"srv1": {BootID: "b"}, "gen1": {BootID: "a"}, "be1": {BootID: "a"}}, here: "a"}
	all := []Watched{{record.Causes{BackgroundServerNS: 10}, 1}, {record.Causes{BackgroundGeneratorNS: 30}, 3},
		{record.Causes{BackgroundServerNS: 20}, 2}}
	h.explain(all, map[string]time.Duration{"srv1": 7, "be1": 5}, 4)
	for i, want := range []record.Causes{{BackgroundServerNS: 10 - 7}, {BackgroundGeneratorNS: 30 - 2 - 5 - 4},
		{BackgroundServerNS: 20 - 3 - 5 - 4}} {
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
	f := written(t, "srv", "gen1", "service")
	var got []string
	for _, m := range f.Machines() {
		got = append(got, m.Name+" "+string(f.Role(m.Name)))
	}
	if want := "srv server, gen1 generator, service service"; strings.Join(got, ", ") != want {
		t.Errorf("%v; want %s", got, want)
	}
	if r := (&Agent{}).role(); r != Generator {
		t.Errorf("without permission an agent is a %s", r)
	}
	if r, err := ParseRole("service"); err != nil || r != Service {
		t.Error(r, err)
	}
}
