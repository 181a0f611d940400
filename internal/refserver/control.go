package refserver

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Control is the parsed name of a reference server.
//
//	null            answers at once with constant bytes
//	null+5ms        responds 5 ms after it read the request, and reports the time; null+0ms as soon as it can
//	ref, ref'       answers any scenario, on net/http
//	ref+20%         ref with 20 % added cost
type Control struct {
	Name   string
	Null   bool    // in the null family: the same response to every request
	Manner Manner  // behaviour, for the null family
	Extra  float64 // added cost, as a share of the reference's
}

// Manner is an additional behaviour of a server in the null family.
type Manner struct {
	Timed bool          // respond Delay after reading the request; report the true time in timeHeader
	Delay time.Duration // delay before each response; needs Timed
}

// families are the reference servers whose names have a parameter. parse stores the text between prefix and
// suffix in c; want describes valid text.
var families = []struct {
	prefix, suffix, want string
	parse                func(c *Control, text string) (ok bool)
}{
	{"null+", "", "want a delay up to 1m, such as null+5ms", func(c *Control, text string) bool {
		d, err := time.ParseDuration(text)
		c.Null, c.Manner = true, Manner{Timed: true, Delay: d}
		return err == nil && d >= 0 && d <= time.Minute
	}},
	{"ref+", "%", "want a cost such as ref+5%", func(c *Control, text string) bool {
		x, err := strconv.ParseFloat(text, 64)
		c.Extra = x / 100
		return err == nil && x > 0 && x <= 1000
	}},
}

// ParseControl parses a reference server's name; ok is false for any other name.
func ParseControl(name string) (c Control, ok bool, err error) {
	switch name {
	case "null":
		return Control{Name: name, Null: true}, true, nil
	case "ref", "ref'":
		return Control{Name: name}, true, nil
	}
	for _, f := range families {
		text, starts := strings.CutPrefix(name, f.prefix)
		text, ends := strings.CutSuffix(text, f.suffix)
		if !starts || !ends {
			continue
		}
		c := Control{Name: name}
		if !f.parse(&c, text) {
			return Control{}, true, fmt.Errorf("%q: %s", name, f.want)
		}
		return c, true, nil
	}
	return Control{}, false, nil
}

// Title returns the name in reports.
func (c Control) Title() string {
	switch {
	case c.Manner.Timed:
		return fmt.Sprintf("null server, responds after %v", c.Manner.Delay)
	case c.Null:
		return "null server"
	case c.Extra > 0:
		return fmt.Sprintf("reference +%g %% cost", 100*c.Extra)
	case c.Name == "ref'":
		return "reference, copy"
	}
	return "reference"
}

// Engine returns the server's HTTP implementation.
func (c Control) Engine() string {
	if c.Null {
		return "own"
	}
	return "net/http"
}
