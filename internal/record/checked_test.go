package record

import "testing"

// TestChecked: only judged bodies count as checked if bodies vary.
func TestChecked(t *testing.T) {
	trial := func(name string, epoch int) *Trial { return &Trial{Key: Key{Epoch: epoch}, Contestant: name} }
	two := []*Trial{trial("a", 0), trial("b", 0), trial("a", 1), trial("b", 1)}
	all := []Sampled{{"a", 0, 100, 10, 0, 0}, {"b", 0, 100, 10, 0, 0}, {"a", 1, 100, 10, 0, 0}, {"b", 1, 100, 10, 0, 0}}
	vary := &Alike{Requests: 1}
	for name, c := range map[string]struct {
		run  Run
		want string
	}{
		"not recorded": {Run{Trials: two}, ""},
		"constant":     {Run{Alike: &Alike{Requests: 1, Constant: 1}, Trials: two}, "status and body of every answer"},
		"several statuses": {Run{Alike: &Alike{Requests: 2, Constant: 2, Statuses: 1}, Trials: two},
			"status (one of several) and body of every answer"},
		"no samples": {Run{Alike: vary, Trials: two}, "status of every answer; bodies that vary were compared " +
			"before the load alone"},
		"before trials": {Run{Alike: vary}, "status of every answer, its shape, and its length within a factor of " +
			"2, and a sample of bodies"},
		"all": {Run{Alike: vary, Trials: two, Sampled: all}, "status of every answer, its shape, and " +
			"its length within a factor of 2, bodies of 10 %"},
		"one side not": {Run{Alike: vary, Trials: two, Sampled: all[:3]},
			"status of every answer; in 1 of 2 epochs its shape, and its length within a factor of 2, bodies of 10 %"},
		"a side that failed": {Run{Alike: vary, Trials: two, Sampled: all[:3], Failures: []Failure{{Contestant: "b"}}},
			"status of every answer, its shape, and its length within a factor of 2, bodies of 10 %"},
		"long loads not": {Run{Alike: vary, Trials: two, Sampled: all, Long: two[3:]},
			"status of every answer; in 1 of 2 epochs its shape, and its length within a factor of 2, bodies of 10 %"},
		"long loads": {Run{Alike: vary, Trials: two, Sampled: append(all[:4:4], all[3]), Long: two[3:]},
			"status of every answer, its shape, and its length within a factor of 2, bodies of 10 %"},
		"some constant, one epoch not": {Run{Alike: &Alike{Requests: 3, Constant: 2}, Trials: two, Sampled: all[:2]},
			"status of every answer, and the body of 2 of 3 requests; of the others in 1 of 2 epochs shape, and " +
				"length within a " +
				"factor of 2, bodies of 10 %"},
		"stateful, " +
			"large": {Run{Alike: &Alike{Requests: 1, Stateful: true}, Trials: two[:1], Sampled: []Sampled{{"a", 0, 9, 0, 2, 0}}},
			"status of every answer, its shape, and its length within a factor of 2; bodies over 8 MiB by length alone"},
		"headers": {Run{Alike: &Alike{Requests: 1, Open: 1}, Trials: two[:1], Sampled: []Sampled{{"a", 0, 0, 0, 0, 9}}},
			"status of every answer; headers of a sample"},
		"headers beside " +
			"bodies": {Run{Alike: &Alike{Requests: 1, Constant: 1}, Trials: two[:1], Sampled: []Sampled{{"a", 0, 0, 0, 0, 9}}},
			"status and body of every answer; headers of a sample"},
		"an epoch not": {Run{Alike: vary, Trials: append(two[:4:4], &Trial{Key: Key{Epoch: 2}, Contestant: "a"}),
			Sampled: all}, "status of every answer; in 2 of 3 epochs its shape, and its length within a factor of " +
			"2, bodies of 10 %"},
	} {
		c.run.Plan.Contestants = []string{"a", "b"}
		if got := c.run.Checked(); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}
