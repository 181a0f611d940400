package checks

import "dyno/internal/result"

// Disturbance describes the disturbed loads: those that Disturbed names.
// Loads is their number. Server and Generator are the largest shares of the server's and the
// generator's CPUs, or those of a backend's own machine, that other programs used. Withheld is the largest share of all that the
// hypervisor withheld. Stood is the largest share of time for which the generator or the machine
// stood still.
type Disturbance struct {
	Loads                              int
	Server, Generator, Withheld, Stood float64
}

// DisturbanceOf judges each load on its own.
func DisturbanceOf(loads []*result.Trial) (d Disturbance) {
	for i := range loads {
		if !Disturbed(loads[i : i+1]) {
			continue
		}
		d.Loads++
		s := sharesOf(loads[i : i+1])
		d.Server = max(d.Server, s.server)
		d.Generator = max(d.Generator, s.generator, s.backend)
		d.Withheld = max(d.Withheld, s.steal)
		d.Stood = max(d.Stood, float64(pauseOf(loads[i]))/float64(loads[i].Causes.WallNS))
	}
	return d
}
