package machine

import (
	"cmp"
	"os"
	"slices"
	"time"

	"dyno/internal/record"
)

// programsEvery is the least time between two readings: one takes milliseconds.
const programsEvery = time.Second

// programsMost is how many programs a reading names.
const programsMost = 3

// Programs reads which programs use the CPU, apart from this process, its descendants and some more.
type Programs struct {
	at   time.Time
	used map[int]usedBy // by pid
}

type usedBy struct {
	started uint64
	cpu     time.Duration
}

// Since returns the programs that used most CPU since the last reading, with the CPU time of all
// processes of a name. It is nil for the first reading, and within a second after one. A process that
// began and ended between two readings is not seen.
func (p *Programs) Since(cpus int, own ...int) *record.Others {
	now := time.Now()
	if now.Sub(p.at) < programsEvery {
		return nil
	}
	all, err := processes()
	if err != nil {
		return nil
	}
	ours := map[int]bool{os.Getpid(): true}
	for _, pid := range own {
		ours[pid] = true
	}
	first, wall := p.used == nil, now.Sub(p.at)
	list := p.add(all, ours, Name)
	if p.at = now; first {
		return nil
	}
	return &record.Others{WallNS: int64(wall), CPUs: cpus, Programs: list[:min(len(list), programsMost)]}
}

// add returns the CPU time by name that processes used since the last call, the most first, apart from ours and their
// descendants.
func (p *Programs) add(all []stat, ours map[int]bool, name func(pid int) string) (list []record.Program) {
	descend(all, ours, 0)
	used, sum := make(map[int]usedBy, len(all)), map[string]int64{}
	for i := range all {
		s := &all[i]
		before := p.used[s.pid]
		if before.started != s.started {
			before.cpu = 0
		}
		used[s.pid] = usedBy{s.started, s.own.sum()}
		if took := s.own.sum() - before.cpu; took > 0 && !ours[s.pid] {
			sum[name(s.pid)] += int64(took)
		}
	}
	p.used = used
	for name, ns := range sum {
		if name != "" { // else it has ended
			list = append(list, record.Program{Name: name, CPUNS: ns})
		}
	}
	slices.SortFunc(list, func(a, b record.Program) int {
		return cmp.Or(cmp.Compare(b.CPUNS, a.CPUNS), cmp.Compare(a.Name, b.Name))
	})
	return list
}
