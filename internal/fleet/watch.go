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

// Unwatching ends an observation.
type Unwatching struct {
	Number  int           `json:"number"`
	Started time.Duration `json:"started,omitempty"` // CPU time of the run's programs here, during the observation
	// Beside is the CPU time of the run's other machines that share this kernel.
	Beside time.Duration `json:"beside,omitempty"`
}

// watch begins an observation, and returns its number.
func (s *session) watch(q *Watching) (number int, err error) {
	site := s.agent.site
	began, err := site.used()
	if err != nil {
		return 0, err
	}
	own := func() time.Duration { now, _ := site.used(); return now - began }
	if !q.Starts {
		end, err := site.observe()
		if err != nil {
			return 0, err
		}
		return s.watches.put(func(started, beside time.Duration) record.Causes {
			return end(own() + started + beside)
		}), nil
	}
	v, err := s.hosts()
	if err != nil {
		return 0, err
	}
	var loaded bench.Server
	if q.Server > 0 {
		if loaded, err = v.servers.get(q.Server); err != nil {
			return 0, err
		}
	}
	end := v.local.Watch(loaded)
	return s.watches.put(func(started, beside time.Duration) record.Causes {
		return end(started, own()+beside, 0)
	}), nil
}

func (s *session) unwatch(q *Unwatching) (c record.Causes, err error) {
	end, err := s.watches.take(q.Number)
	if err == nil {
		c = end(q.Started, q.Beside)
	}
	return c, err
}

// Watch observes all machines in the run concurrently.
func (h *Host) Watch(loaded bench.Server) func(server, generator, service time.Duration) record.Causes {
	numbers := make([]int, len(h.machines))
	_ = each(h.machines, func(i int, name string) (err error) {
		_, starts := h.launchers[name]
		q := Watching{Starts: starts}
		if s, ok := loaded.(*remote); ok && q.Starts && s.machine == name {
			q.Server = s.number
		}
		numbers[i], err = tell(h.work, h, name, toWatch, q, serverLimit)
		return err
	})
	before := h.usedByAll()
	return func(server, _, service time.Duration) record.Causes {
		started := map[string]time.Duration{h.server: server}
		if h.service != "" {
			started[h.service] = service
		}
		all, beside := make([]record.Causes, len(h.machines)), h.beside(before, started)
		_ = each(h.machines, func(i int, name string) (err error) {
			q := Unwatching{Number: numbers[i], Started: started[name], Beside: beside[i]}
			all[i], err = tell(h.work, h, name, toUnwatch, q, serverLimit)
			return err
		})
		return h.merged(all)
	}
}

// merged adds up the observations of the run's machines.
func (h *Host) merged(all []record.Causes) record.Causes {
	c := record.Causes{WallNS: all[0].WallNS}
	for i, name := range h.machines {
		m := &all[i]
		c.Machines = append(c.Machines, record.MachineCauses{Machine: name, Generator: slices.Contains(h.generators, name),
			CPUs: m.ServerCPUs + m.GeneratorCPUs, BackgroundNS: m.BackgroundServerNS + m.BackgroundGeneratorNS,
			StealNS: m.StealNS})
		switch {
		case name == h.server:
			c.ServerCPUs, c.BackgroundServerNS = m.ServerCPUs, m.BackgroundServerNS
		case name == h.service:
			c.ServiceCPUs, c.BackgroundServiceNS = m.ServerCPUs, m.BackgroundServerNS
		}
		c.GeneratorCPUs += m.GeneratorCPUs
		c.BackgroundGeneratorNS += m.BackgroundGeneratorNS
		c.StealNS += m.StealNS
		c.ThrottledNS += m.ThrottledNS
		c.SuspendedNS = max(c.SuspendedNS, m.SuspendedNS)
	}
	return c
}

// boots returns the kernel boot of each machine in the run, and of the controller's last.
func (h *Host) boots() (all []string) {
	for _, name := range h.machines {
		all = append(all, h.described[name].BootID)
	}
	return append(all, h.here)
}

// used returns the CPU time of these machines' agents until now.
func (h *Host) used(machines []string) ([]time.Duration, error) {
	all := make([]time.Duration, len(machines))
	return all, each(machines, func(i int, name string) (err error) {
		all[i], err = tell(h.work, h, name, toCPU, Done{}, serverLimit)
		return err
	})
}

// usedByAll returns the CPU time of all agents and the controller until now, as far as it is known.
func (h *Host) usedByAll() []time.Duration {
	all, _ := h.used(h.machines)
	own, _ := machine.SelfCPU()
	return append(all, own)
}

// beside returns, for each machine, the CPU time that the run's other programs on the same kernel have
// used since usedByAll returned before. started is the CPU time of started programs, by machine.
func (h *Host) beside(before []time.Duration, started map[string]time.Duration) []time.Duration {
	after, boots, all := h.usedByAll(), h.boots(), make([]time.Duration, len(h.machines))
	for i := range h.machines {
		for j := range after {
			if j == i || boots[i] == "" || boots[i] != boots[j] {
				continue
			}
			all[i] += after[j] - before[j]
			if j < len(h.machines) {
				all[i] += started[h.machines[j]]
			}
		}
	}
	return all
}
