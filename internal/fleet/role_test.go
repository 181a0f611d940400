package fleet

import (
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/loader"
)

// TestRolesOfOrders: each order has a role, or is for all.
func TestRolesOfOrders(t *testing.T) {
	for kind := range handlers {
		if _, known := needs[kind]; !known {
			t.Errorf("nobody may carry out %q: say in needs who may", kind)
		}
	}
}

// TestAnotherRolesOrders: an agent refuses an order for a role that the owner of its machine does not
// allow, with a line in its log, whatever the controller's file says; and the controller does not begin
// with such an agent.
func TestAnotherRolesOrders(t *testing.T) {
	b := gathered(t, "srv", "gen1")
	url, n := counting(t)
	task := Task{Run: token(), Request: loader.Request{URL: url, Requests: 10, Connections: 1},
		Share: load.Share{Index: 0, Of: 1}}
	if a := b.send(t, "srv", b.order("srv", prepare, task)); !strings.Contains(a.Refused,
		`"prepare" is an order for a generator, and this agent may be a server;`) || a.Body != nil {
		t.Errorf("a server makes load: %+v", a)
	}
	b.agentLog.once(t, `refused an order: "prepare"`)
	if a := b.send(t, "gen1", b.order("gen1", "tree", wanted{strings.Repeat("ab", 32)})); !strings.Contains(a.Refused,
		`"tree" is an order for a server, and this agent may be a generator;`) || a.Body != nil {
		t.Errorf("a generator gets a folder: %+v", a)
	}
	b.agentLog.once(t, `refused an order: "tree"`)
	if n.Load() != 0 {
		t.Errorf("%d requests were sent", n.Load())
	}
	b.fleet.Servers = append(b.fleet.Servers, Machine{Name: "gen1"})
	if err := b.GatherAll(t.Context()); err == nil || !strings.Contains(err.Error(), "gen1 may not be a server, as "+
		"fleet.toml says: its agent allows only: generator; run dyno fleet up, or start it there with dyno agent --role "+
		"server,generator") {
		t.Errorf("%v", err)
	}
}

func TestRoles(t *testing.T) {
	f := written(t, "srv", "both", "gen1", "backend")
	var got []string
	for _, m := range f.Machines() {
		got = append(got, m.Name+" "+list(f.Roles(m.Name), "+"))
	}
	if want := "srv server, both server+generator, gen1 generator, backend backend"; strings.Join(got, ", ") != want {
		t.Errorf("%v; want %s", got, want)
	}
	if a := (&Agent{}).roles(); list(a, "") != "generator" {
		t.Errorf("without permission an agent may be %v", a)
	}
	if all, err := ParseRoles([]string{"backend", "server", "backend"}); err != nil || list(all, " ") != "backend server" {
		t.Error(all, err)
	}
}
