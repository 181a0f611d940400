package analysis

import "dyno/internal/result"

func throughput(t *result.Trial) (float64, bool) {
	return t.Load.PerSec()
}

func cpuPerRequest(t *result.Trial) (float64, bool) {
	if t.Server.CPUNS == nil || *t.Server.CPUNS <= 0 || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.CPUNS) / float64(t.Load.Succeeded), true
}

func p50(t *result.Trial) (float64, bool) {
	return float64(t.Load.ServiceP50NS), t.Load.ServiceP50NS > 0
}

// ofServer is what a trial's server used or held.
func ofServer(of func(*result.Usage) (float64, bool)) func(*result.Trial) (float64, bool) {
	return func(t *result.Trial) (float64, bool) { return of(&t.Server) }
}

func pss(u *result.Usage) (float64, bool) { return positive(u.PSSBytes) }

// cpuTime is of the whole load: it can be compared where all loads are of one number of requests.
func cpuTime(u *result.Usage) (float64, bool) { return positive(u.CPUNS) }

func cpuSinceStart(u *result.Usage) (float64, bool) {
	if u.CPUUserTotalNS == nil || u.CPUSystemTotalNS == nil {
		return 0, false
	}
	all := *u.CPUUserTotalNS + *u.CPUSystemTotalNS
	return positive(&all)
}

func threads(u *result.Usage) (float64, bool) { return positive(u.Threads) }

func sockets(u *result.Usage) (float64, bool) { return positive(u.OpenSockets) }

// swapPSS may be 0, and mostly is.
func swapPSS(u *result.Usage) (float64, bool) {
	if u.SwapPSSBytes == nil {
		return 0, false
	}
	return float64(*u.SwapPSSBytes), true
}

func positive(n *int64) (float64, bool) {
	if n == nil || *n <= 0 {
		return 0, false
	}
	return float64(*n), true
}

func heapInuse(t *result.Trial) (float64, bool) {
	if t.Server.HeapInuseBytes == nil {
		return 0, false
	}
	return float64(*t.Server.HeapInuseBytes), true
}

func allocPerRequest(t *result.Trial) (float64, bool) {
	if t.Server.AllocBytes == nil || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.AllocBytes) / float64(t.Load.Succeeded), true
}

func responseP50(t *result.Trial) (float64, bool) { return response(&t.Load, .5) }

func responseP99(t *result.Trial) (float64, bool) { return response(&t.Load, .99) }

// response is the quantile q of due -> done, if enough requests lie beyond it and it is more than a lower bound.
func response(l *result.Load, q float64) (float64, bool) {
	ns, most := l.Response(q > .5)
	return float64(ns), most > 0 && float64(most) <= (1+result.Raised)*float64(ns) && Bears(l.Succeeded, q)
}

func instructions(t *result.Trial) (float64, bool) {
	if t.Server.Instructions == nil || *t.Server.Instructions <= 0 || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.Instructions) / float64(t.Load.Succeeded), true
}

func serverShare(t *result.Trial) (float64, bool) {
	return shareOf(t, t.Server.CPUNS, t.Causes.ServerCPUs)
}

func backendShare(t *result.Trial) (float64, bool) {
	if t.Backend == nil {
		return 0, false
	}
	return shareOf(t, t.Backend.CPUNS, t.Causes.GeneratorCPUs)
}

func generatorShare(t *result.Trial) (float64, bool) {
	return shareOf(t, t.Generator.CPUNS, t.Causes.GeneratorCPUs)
}

// shareOf is what someone used of so many CPUs in a trial with a backend.
func shareOf(t *result.Trial, used *int64, cpus int) (float64, bool) {
	if t.Backend == nil || used == nil || t.ClocksWall() <= 0 || cpus == 0 {
		return 0, false
	}
	return float64(*used) / float64(t.ClocksWall()) / float64(cpus), true
}

func timeToComplete(t *result.Trial) (float64, bool) {
	return float64(t.Load.WindowNS), t.Load.WindowNS > 0
}

// serviceP99 is absent where too few requests lie beyond it.
func serviceP99(t *result.Trial) (float64, bool) {
	return float64(t.Load.ServiceP99NS), t.Load.ServiceP99NS > 0 && Bears(t.Load.Succeeded+t.Load.Failed, .99)
}

func serviceMax(t *result.Trial) (float64, bool) {
	return float64(t.Load.ServiceMaxNS), t.Load.ServiceMaxNS > 0
}

func read(t *result.Trial) (float64, bool) {
	if t.Load.WindowNS <= 0 || t.Load.BytesRead <= 0 {
		return 0, false
	}
	return float64(t.Load.BytesRead) / float64(t.Load.WindowNS) * 1e9, true
}
