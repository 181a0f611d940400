package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// StatusAlone is Checked's text if neither body nor header was checked.
const StatusAlone = "status alone"

// Checked describes which parts of every answer under load were checked; "" for a record without
// this. For a record without trials it describes the planned checks.
func (r *Run) Checked() string {
	text := r.bodies()
	if text != "" && slices.ContainsFunc(r.Sampled, func(s Sampled) bool { return s.Headers > 0 }) {
		if text == StatusAlone {
			text = "status of every answer"
		}
		text += "; headers of a sample"
	}
	return text + r.executed()
}

// bodies returns Checked's text without headers.
func (r *Run) bodies() string {
	a := r.Alike
	if a == nil || a.Requests == 0 {
		return ""
	}
	status := "status"
	if a.Statuses > 0 {
		status = "status (one of several)"
	}
	some, shape := status+" of every answer", "its shape, and its length within a factor of 2"
	if a.Constant > 0 {
		shape = "shape, and length within a factor of 2"
		some += fmt.Sprintf(", and the body of %d of %d requests", a.Constant, a.Requests)
	}
	switch varying := a.Requests - a.Constant - a.Open; {
	case a.Constant == a.Requests:
		return status + " and body of every answer"
	case varying == 0 && a.Constant == 0 && a.Statuses == 0:
		return StatusAlone
	case varying == 0:
		return some
	case len(r.Trials) > 0 && len(r.Sampled) == 0: // loaded by generators that take no samples
		return some + "; bodies that vary were compared before the load alone"
	}
	within := ""
	if judged, all := r.judged(); judged < all {
		within = fmt.Sprintf("in %d of %d epochs ", judged, all)
	}
	switch {
	case a.Constant > 0:
		some += "; of the others " + within
	case within != "":
		some += "; " + within
	default:
		some += ", "
	}
	return some + shape + r.sampled()
}

// judged returns the number of epochs in which every contestant's samples were judged, and the
// number of all epochs.
func (r *Run) judged() (judged, all int) {
	type at struct {
		contestant string
		epoch      int
	}
	times, epochs := map[at]int{}, map[int]bool{}
	for _, s := range r.Sampled {
		times[at{s.Contestant, s.Epoch}]++
	}
	for i, trials := range [][]*Trial{r.Trials, slices.Concat(r.Long, r.Rated)} { // each is judged by itself
		for _, t := range trials {
			if slices.Contains(r.Plan.Contestants, t.Contestant) && r.FailureOf(t.Contestant) == nil {
				was, ok := epochs[t.Epoch]
				epochs[t.Epoch] = (was || !ok) && times[at{t.Contestant, t.Epoch}] > i
			}
		}
	}
	for _, ok := range epochs {
		if all++; ok {
			judged++
		}
	}
	return judged, all
}

// sampled says which share of bodies was compared in full.
func (r *Run) sampled() string {
	var answers, compared, long int64
	for _, s := range r.Sampled {
		answers, compared, long = answers+s.Answers, compared+s.Compared, long+s.Long
	}
	also := ""
	if long > 0 {
		also = "; bodies over 8 MiB by length alone"
	}
	share := 100 * float64(compared) / float64(answers)
	switch {
	case r.Alike.Stateful:
		return also
	case answers == 0:
		return ", and a sample of bodies"
	case compared == 0:
		return also
	case share < 10:
		return fmt.Sprintf(", bodies of %.1f %%", math.Floor(10*share)/10) + also
	}
	return fmt.Sprintf(", bodies of %.0f %%", math.Floor(share)) + also
}

// CheckedAlso returns sentences about limits to these checks.
func (r *Run) CheckedAlso() (all []string) {
	a := r.Alike
	if a == nil {
		return nil
	}
	if a.Stateful && a.Requests > a.Constant+a.Open {
		text := "bodies may depend on earlier requests: their shape is compared with the other sides', and of their " +
			"content only the parts that must be equal nevertheless"
		if a.InTurn > 0 {
			text += fmt.Sprintf("; answers to one sequence of up to %d requests, sent to each freshly started side, are "+
				"compared except for parts that change from start to start", a.InTurn)
		}
		all = append(all, text)
	}
	if len(a.Dateless) > 0 {
		all = append(all, "no Date header (RFC 9110 §6.6.1) from "+strings.Join(a.Dateless, ", "))
	}
	if len(a.Apart) > 0 {
		all = append(all, "network namespaces of their own, because two or more insist on one port, or one is in a "+
			"container: "+strings.Join(a.Apart, ", ")+"; there the network is cut, and no program but the run's services can "+
			"be reached"+r.relays())
	}
	return all
}

// relays says how services were reached, and how much CPU the relays used per right answer; "" if there was none.
func (r *Run) relays() string {
	used, answers := map[string]float64{}, map[string]float64{}
	for _, t := range r.Trials {
		if n := len(r.Plan.Services); len(t.Services) > n && t.Services[n].CPUNS != nil {
			used[t.Contestant] += float64(*t.Services[n].CPUNS) / 1e3
			answers[t.Contestant] += float64(t.Load.Succeeded)
		}
	}
	var each []float64
	for name := range used {
		if answers[name] > 0 {
			each = append(each, used[name]/answers[name])
		}
	}
	if len(each) == 0 {
		return ""
	}
	return fmt.Sprintf("; dyno opened the connections to them, or a relay passed them on, which used %.3g to %.3g µs of CPU "+
		"per right answer of a server, counted as the services'", slices.Min(each), slices.Max(each))
}

// executed says in how many loads PostgreSQL's counts were compared with the answers.
func (r *Run) executed() (text string) {
	n, of, back := 0, 0, int64(0)
	for _, t := range slices.Concat(r.Trials, r.Long, r.Rated) {
		if slices.Contains(r.Plan.Contestants, t.Contestant) {
			of++
			if t.Executed != nil {
				n, back = n+1, back+t.Executed.ReadBack
			}
		}
	}
	if n > 0 {
		text = fmt.Sprintf("; in %d of %d loads the statements and rows that PostgreSQL executed", n, of)
	}
	if back > 0 {
		text += fmt.Sprintf("; %d rows read back after updates", back)
	}
	return text
}
