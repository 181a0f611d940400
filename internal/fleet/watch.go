package fleet

import (
	"slices"
	"time"

	"dyno/internal/bench"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// Watching asks a machine to observe its background programs while a server is loaded.
type Watching struct {
	// Starts means that only the run's programs and the agent may use the CPUs; else the machine is a
	// generator.
	Starts bool `json:"starts,omitempty"`
	Server int  `json:"server,omitempty"` // the loaded server, if it runs here
}

// Watched is an observation. What the run's started programs used counts as background.
type Watched struct {
	Causes record.Causes `json:"causes"`
	Used   time.Duration `json:"used"` // CPU time of the agent
}

// watch begins an observation, and returns its number.
func (s *session) watch(q *Watching) (number int, err error) {
	began, err := s.agent.site.used()
	if err != nil {
		return 0, err
	}
	var end func(used time.Duration) record.Causes
	if q.Starts {
		end, err = s.watchServer(q.Server)
	} else {
		end, err = s.agent.site.observe()
	}
	if err != nil {
		return 0, err
	}
	return s.watches.put(func() Watched {
		now, _ := s.agent.site.used()
		return Watched{end(now - began), now - began}
	}), nil
}

// watchServer begins to observe a machine that starts programs.
func (s *session) watchServer(number int) (end func(used time.Duration) record.Causes, err error) {
	v, err := s.hosts()
	if err != nil {
		return nil, err
	}
	var loaded bench.Server
	if number > 0 {
		if loaded, err = v.servers.get(number); err != nil {
			return nil, err
		}
	}
	local := v.local.Watch(loaded)
	return func(used time.Duration) record.Causes { return local(0, used, 0) }, nil
}

// unwatch ends the observation with this number.
func (s *session) unwatch(number *int) (w Watched, err error) {
	end, err := s.watches.take(*number)
	if err == nil {
		w = end()
	}
	return w, err
}

// Watch observes all machines in the run concurrently.
func (h *Host) Watch(loaded bench.Server) func(server, generator, service time.Duration) record.Causes {
	began, _ := machine.SelfCPU()
	numbers := make([]int, len(h.machines))
	_ = each(h.machines, func(i int, name string) (err error) {
		q := Watching{Starts: name == h.server}
		if s, ok := loaded.(*remote); ok && q.Starts && s.machine == name {
			q.Server = s.number
		}
		numbers[i], err = tell(h.work, h, name, toWatch, q, serverLimit)
		return err
	})
	return func(server, _, _ time.Duration) record.Causes {
		all := make([]Watched, len(h.machines))
		_ = each(h.machines, func(i int, name string) (err error) {
			all[i], err = tell(h.work, h, name, toUnwatch, numbers[i], serverLimit)
			return err
		})
		now, _ := machine.SelfCPU()
		h.explain(all, server, now-began)
		return h.merged(all)
	}
}

// explain takes the CPU time of the run's programs off the background of each machine: of the programs that it
// started, and of all those of hosts on the same kernel. server is that of the loaded one, and own is the controller's.
func (h *Host) explain(all []Watched, server, own time.Duration) {
	started := map[string]time.Duration{h.server: server}
	for i, name := range h.machines {
		used, boot := started[name], h.described[name].BootID
		for j, other := range h.machines {
			if j != i && boot != "" && boot == h.described[other].BootID {
				used += all[j].Used + started[other]
			}
		}
		if boot != "" && boot == h.here {
			used += own
		}
		for _, ns := range []*int64{&all[i].Causes.BackgroundServerNS, &all[i].Causes.BackgroundGeneratorNS} {
			*ns = max(0, *ns-int64(used))
		}
	}
}

// merged adds up the observations of the run's machines.
func (h *Host) merged(all []Watched) record.Causes {
	c := record.Causes{WallNS: all[0].Causes.WallNS}
	for i, name := range h.machines {
		m := &all[i].Causes
		c.Machines = append(c.Machines, record.MachineCauses{Machine: name, Generator: slices.Contains(h.generators, name),
			CPUs: m.ServerCPUs + m.GeneratorCPUs, BackgroundNS: m.BackgroundServerNS + m.BackgroundGeneratorNS,
			StealNS: m.StealNS})
		if name == h.server {
			c.ServerCPUs, c.BackgroundServerNS = m.ServerCPUs, m.BackgroundServerNS
		}
		c.GeneratorCPUs += m.GeneratorCPUs
		c.BackgroundGeneratorNS += m.BackgroundGeneratorNS
		c.StealNS += m.StealNS
		c.ThrottledNS += m.ThrottledNS
		c.SuspendedNS = max(c.SuspendedNS, m.SuspendedNS)
	}
	return c
}
