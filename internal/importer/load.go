package importer

import (
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
)

// Forms of row descriptions.
var (
	delayForm  = conf.Regexp(`(?i)\b(?:sleep|delay|wait)s?\s*[= ]?\s*([0-9]+(?:\.[0-9]+)?)\s*(us|µs|ms|s|sec)\b`)
	depthForm  = conf.Regexp(`(?i)\bpipelin(?:e|ed|ing)\s*[=x ]?\s*([0-9]+)\b`)
	proseForm  = conf.Regexp(`(?i)\bprose says ([0-9][0-9.,]*)\s*(us|µs|ms|s|req/s|/s)\b`)
	formerForm = conf.Regexp(`^(\S+):(\S+\.\w+)$`)
	// gateway and production-stack are HttpArena profiles, over HTTP/2.
	streamsForm = conf.Regexp(`(?i)(?:^|[-_ /,(])(?:h2c?|h3|http/?[23]|grpc|quic|ws|websocket|gateway|production-stack|` +
		`pipelin\w*(?:\.lua)?)(?:$|[-_ /,)])`)
	closeForm = conf.Regexp(`(?i)connection:\s*close|disable-?keep-?alive|no-?keep-?alive|non-?keep-?alive`)
)

// tools are the load generators whose command lines are known.
var tools = []string{"wrk", "ab", "bombardier", "hey", "oha", "h2load", "wrk2", "plow"}

// describe reads numbers from a row's published description: the handler's delay and the pipelining
// depth from the scenario, the rest from the command line.
func (r *Row) describe() {
	r.Depth = max(r.Depth, 1)
	if m := delayForm().FindStringSubmatch(r.Scenario); m != nil && r.Delay == 0 {
		var f Figure
		if f.read(m[1]+m[2], "") == nil {
			r.Delay = f.Value
		}
	}
	if m := depthForm().FindStringSubmatch(r.Scenario); m != nil && r.Depth == 1 {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n <= 1<<20 {
			r.Depth = n
		}
	}
	r.command(r.Load)
	r.Streams = r.Depth == 1 && (r.Streams || streamsForm().MatchString(r.Scenario+" "+r.Load) ||
		r.Tool == "h2load" && r.Load == "")
	r.command(commandIn(r.Scenario))
}

// commandIn returns a load generator's command line from its name on, or "": a heading often is
// one.
func commandIn(text string) string {
	words := strings.Fields(strings.ReplaceAll(text, "`", " "))
	for i, w := range words[:max(0, len(words)-1)] {
		if slices.Contains(tools, w[strings.LastIndex(w, "/")+1:]) && optionForm().MatchString(words[i+1]) {
			return strings.Join(words[i:], " ")
		}
	}
	return ""
}

// optionForm is a command-line option; longOptions are those that have another name in some tools.
var (
	optionForm  = conf.Regexp(`^--?[A-Za-z]`)
	longOptions = map[string]byte{"connections": 'c', "concurrency": 'c', "clients": 'c', "requests": 'n', "duration": 'd',
		"rate": 'R', "qps": 'R'}
)

// command reads connections, requests and length from a command line such as "ab -n 6000 -c 300".
func (r *Row) command(line string) {
	words := strings.Fields(line)
	for i, w := range words {
		words[i] = strings.TrimRight(w, ",;:)") // punctuation from a sentence
	}
	if len(words) > 0 && r.Tool == "" {
		if tool := words[0][strings.LastIndex(words[0], "/")+1:]; slices.Contains(tools, tool) {
			r.Tool = tool
		}
	}
	r.PerRequest = r.PerRequest || closeForm().MatchString(line) ||
		r.Tool == "ab" && line != "" && !strings.Contains(line+" ", " -k ")
	for i, w := range words {
		if len(w) < 2 || w[0] != '-' {
			continue
		}
		value, option := "", w[1]
		long, set, is := strings.Cut(strings.TrimLeft(w, "-"), "=")
		switch {
		case option == '-' && is:
			value = set
		case option != '-' && len(w) > 2:
			value = strings.TrimPrefix(w[2:], "=")
		case i+1 < len(words):
			value = words[i+1]
		}
		if option == '-' {
			option = longOptions[long]
		}
		switch option {
		case 'c':
			if n, err := strconv.Atoi(value); err == nil && r.Connections == 0 && n > 0 {
				r.Connections = n
			}
		case 'n':
			r.requests(value)
		case 'm':
			if n, err := strconv.Atoi(value); err == nil && r.Tool == "h2load" && n > 0 && n <= 1<<20 {
				r.Depth = n
			}
		case 'd', 'z', 'D', 't':
			// -d is the body for hey and oha; -D and -t are lengths for h2load and ab alone.
			if option == 'z' || option == 'd' && !alike(r.Tool, "hey") && r.Tool != "ab" && r.Tool != "h2load" ||
				option == 'D' && r.Tool == "h2load" || option == 't' && r.Tool == "ab" {
				r.Planned = length(value, r.Planned)
			}
		case 'R', 'q', 'r':
			// Only wrk2 has -R; -q and -r mean a rate for some tools alone.
			limits := option == 'R' || option == 'r' && r.Tool == "bombardier" ||
				option == 'q' && (r.Tool == "hey" || r.Tool == "oha")
			_, err := strconv.ParseFloat(value, 64)
			r.Open = r.Open || err == nil && limits
		}
	}
}

// requests adds a command line's number of requests, as if it were a figure in the row.
func (r *Row) requests(value string) {
	var f Figure
	if r.One(None, "requests") == nil && f.read(value, "") == nil && f.Value > 0 && f.Unit == None {
		added := r.compute(Place{}, "requests", f.Value, None, value+" requests")
		added.Derived, added.Digits = true, f.Digits
	}
}

// length reads a duration as load generators write it, as bare seconds or with a unit. It returns
// otherwise if value is not a duration.
func length(value string, otherwise float64) float64 {
	var f Figure
	if f.read(value, "") != nil || !(f.Value > 0) || f.Unit != None && f.Unit != Seconds {
		return otherwise
	}
	return f.Value
}
