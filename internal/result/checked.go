package result

import (
	"fmt"
	"math"
	"strings"
)

// StatusAlone is what Checked says where no body was checked.
const StatusAlone = "status alone"

// Checked says what of every answer of the load was checked, in words; "" of a record that does not
// say it. A record without trials says what is going to be.
func (r *Run) Checked() string {
	a := r.Alike
	if a == nil || a.Requests == 0 {
		return ""
	}
	some := "status of every answer"
	if a.Constant > 0 {
		some += fmt.Sprintf(", and the body of %d of %d requests", a.Constant, a.Requests)
	}
	switch varying := a.Requests - a.Constant - a.Open; {
	case a.Constant == a.Requests:
		return "status and body of every answer"
	case varying == 0 && a.Constant == 0:
		return StatusAlone
	case varying == 0:
		return some
	case len(r.Trials) > 0 && len(r.Sampled) == 0: // loaded by generators that take no samples
		return some + "; bodies that vary were compared before the load alone"
	case a.Constant == 0:
		return "status, length and shape of every answer" + r.sampled()
	}
	return some + "; of the others length and shape" + r.sampled()
}

// sampled says which share of bodies was compared whole.
func (r *Run) sampled() string {
	var answers, compared int64
	for _, s := range r.Sampled {
		answers, compared = answers+s.Answers, compared+s.Compared
	}
	share := 100 * float64(compared) / float64(answers)
	switch {
	case r.Alike.Stateful:
		return ""
	case answers == 0:
		return ", and a sample of bodies"
	case compared == 0:
		return ""
	case share < 10:
		return fmt.Sprintf(", bodies of %.1f %%", math.Floor(10*share)/10)
	}
	return fmt.Sprintf(", bodies of %.0f %%", math.Floor(share))
}

// CheckedAlso returns sentences about the limits of what Checked says.
func (r *Run) CheckedAlso() (all []string) {
	a := r.Alike
	if a == nil {
		return nil
	}
	if a.Stateful && a.Requests > a.Constant+a.Open {
		all = append(all, "bodies depend on earlier requests, so their shape is compared with the other sides', not their "+
			"content")
	}
	if len(a.Dateless) > 0 {
		all = append(all, "no Date header (RFC 9110 §6.6.1) from "+strings.Join(a.Dateless, ", "))
	}
	if len(a.Apart) > 0 {
		all = append(all, "network namespaces of their own, because they insist on one port: "+
			strings.Join(a.Apart, ", ")+"; there the network is cut, and no database or other program can be reached")
	}
	return all
}
