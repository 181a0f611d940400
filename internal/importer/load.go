package importer

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	delayForm  = regexp.MustCompile(`(?i)\b(?:sleep|delay|wait)s?\s*[= ]?\s*([0-9]+(?:\.[0-9]+)?)\s*(us|µs|ms|s|sec)\b`)
	depthForm  = regexp.MustCompile(`(?i)\bpipelin(?:e|ed|ing)\s*[=x ]?\s*([0-9]+)\b`)
	proseForm  = regexp.MustCompile(`(?i)\bprose says ([0-9][0-9.,]*)\s*(us|µs|ms|s|req/s|/s)\b`)
	formerForm = regexp.MustCompile(`^(\S+):(\S+\.\w+)$`)
	closeForm  = regexp.MustCompile(`(?i)connection:\s*close|disable-?keep-?alive|no-?keep-?alive|non-?keep-?alive`)
)

// tools are the load generators whose command lines and semantics are known.
var tools = map[string]bool{"wrk": true, "ab": true, "bombardier": true, "hey": true, "oha": true, "h2load": true, "wrk2": true, "plow": true}

// describe takes from the words that a row is published with what can be computed with.
func (r *Row) describe() {
	r.Depth = max(r.Depth, 1)
	if m := delayForm.FindStringSubmatch(r.Scenario); m != nil && r.Delay == 0 {
		var f Figure
		if f.read(m[1]+m[2], "") == nil {
			r.Delay = f.Value
		}
	}
	if m := depthForm.FindStringSubmatch(r.Scenario); m != nil && r.Depth == 1 {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n <= 1<<20 {
			r.Depth = n
		}
	}
	r.command(r.Load)
}

// command takes connections, requests and length from a command line such as "ab -n 6000 -c 300".
func (r *Row) command(line string) {
	words := strings.Fields(line)
	if len(words) > 0 && tools[words[0]] && r.Tool == "" {
		r.Tool = words[0]
	}
	r.PerRequest = r.PerRequest || closeForm.MatchString(line) || r.Tool == "ab" && line != "" && !strings.Contains(line+" ", " -k ")
	for i, w := range words {
		value := ""
		if len(w) > 2 && w[0] == '-' && w[1] != '-' {
			value = strings.TrimPrefix(w[2:], "=")
		} else if i+1 < len(words) {
			value = words[i+1]
		}
		if len(w) < 2 || w[0] != '-' {
			continue
		}
		switch w[1] {
		case 'c':
			if n, err := strconv.Atoi(value); err == nil && r.Connections == 0 && n > 0 {
				r.Connections = n
			}
		case 'n':
			r.requests(value)
		case 'd', 'z':
			r.Planned = length(value, r.Planned)
		case 'R', 'q', 'r':
			_, err := strconv.ParseFloat(value, 64)
			r.Open = r.Open || err == nil && (w[1] == 'R' || r.Tool == "bombardier" && w[1] == 'r' || w[1] == 'q' && (r.Tool == "hey" || r.Tool == "oha"))
		}
	}
}

// requests adds the number of requests of a command line, as if it were a figure of the row.
func (r *Row) requests(value string) {
	if r.One(None, "requests") != nil {
		return
	}
	f := &Figure{Row: r, Metric: "requests", Derived: true}
	if f.read(value, "") == nil && f.Value > 0 && f.Unit == None {
		f.Text = value + " requests"
		f.Lo, f.Hi = f.Value, f.Value
		r.Figures = append(r.Figures, f)
	}
}

// length is a duration as load generators take it: bare seconds or with a unit.
func length(value string, otherwise float64) float64 {
	var f Figure
	if f.read(value, "") != nil || f.Value <= 0 || math.IsNaN(f.Value) || f.Unit != None && f.Unit != Seconds {
		return otherwise
	}
	return f.Value
}
