package checks

import "dyno/internal/result"

// Disturbance describes the disturbed loads: those that a paired comparison would have discarded.
// Loads is their number. Server and Generator are the largest shares of the server's and the
// generator's CPUs that other programs used. Withheld is the largest share of both that the
// hypervisor withheld. Stood is the largest share of time for which the generator or the machine
// stood still.
type Disturbance struct {
	Loads                              int
	Server, Generator, Withheld, Stood float64
}

// DisturbanceOf judges each load on its own.
func DisturbanceOf(loads []result.Trial) (d Disturbance) {
	for i := range loads {
		if !Discard(loads[i : i+1]) {
			continue
		}
		d.Loads++
		c := &loads[i].Causes
		wall, server, generator := float64(c.WallNS), float64(max(1, c.ServerCPUs)), float64(max(1, c.GeneratorCPUs))
		d.Server = max(d.Server, float64(c.BackgroundServerNS)/(wall*server))
		d.Generator = max(d.Generator, float64(c.BackgroundGeneratorNS)/(wall*generator))
		d.Withheld = max(d.Withheld, float64(c.StealNS)/(wall*float64(max(1, c.ServerCPUs+c.GeneratorCPUs))))
		d.Stood = max(d.Stood, float64(pauseOf(&loads[i]))/wall)
	}
	return d
}
