package validity

import "dyno/internal/result"

// Thresholds of V03–V05, shares of the round's CPU time; fixed before any metric is seen (method.md B).
const (
	foreignWarn, foreignVoid = 0.05, 0.10
	stealWarn, stealVoid     = 0.01, 0.03
)

// shares are the causes of a set of trials as shares of the CPU time that its CPUs had.
type shares struct {
	server, generator, queue, steal float64
}

func sharesOf(trials []result.Trial) shares {
	var server, generator, queue, steal, serverTime, generatorTime, loaded, wall float64
	for i := range trials {
		c := &trials[i].Causes
		server += float64(c.ForeignServerNS)
		generator += float64(c.ForeignGeneratorNS)
		queue += float64(trials[i].Load.RunQueueNS)
		loaded += float64(trials[i].Load.Wall()) * float64(c.GeneratorCPUs)
		steal += float64(c.StealNS)
		serverTime += float64(c.WallNS) * float64(c.ServerCPUs)
		generatorTime += float64(c.WallNS) * float64(c.GeneratorCPUs)
		wall += float64(c.WallNS) * float64(c.ServerCPUs+c.GeneratorCPUs)
	}
	return shares{share(server, serverTime), share(generator, generatorTime), share(queue, loaded), share(steal, wall)}
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// Void reports whether a round is spoilt by a cause outside its contestants: foreign CPU on the server's or the generator's CPUs, or steal
// (V03, V04, V05). It is given all trials of the round and looks at no metric.
//
// Note: the event loops' run-queue delay is shown but voids nothing. In a VM each wake from idle counts as delay: 3 to 8 % on an idle
// machine with 0 % foreign CPU, the more the oftener the loop sleeps, and that depends on the contestant.
func Void(round []result.Trial) bool {
	s := sharesOf(round)
	return s.server > foreignVoid || s.generator > foreignVoid || s.steal > stealVoid
}
