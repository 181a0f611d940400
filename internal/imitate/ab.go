package imitate

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/scenario"
)

// abTimed is the number of requests to which ab limits a load whose time is given.
const abTimed = 50_000

// ab is ApacheBench 2.3, of Apache HTTP Server 2.4.
var ab = &Tool{
	Name: "ab",
	Examples: []string{"-n 10000 -c 100 http://127.0.0.1:8080/", "-k -t 10 -c 50 http://127.0.0.1:8080/",
		"-q -n 1000 -c 10 -p body.json -T application/json http://127.0.0.1:8080/"},
	OptionsEnd: true,
	Version:    "V",
	asks:       true,
	unanswered: true,
	defaults: func(o *Order) {
		o.Requests, o.Connections, o.Timeout, o.NoKeepalive = 1, 1, 30*time.Second, true
		o.contentType = "text/plain"
	},
	flags:    abFlags,
	complete: abComplete,
	intro: func(o *Order) string {
		behind := "..."
		if o.abStep() > 0 {
			behind = "\n"
		}
		host, _, _ := abURL(o.URL)
		return fmt.Sprintf(abBanner, host, behind)
	},
	progress: func(o *Order, m moment) (stdout, stderr string) {
		step := o.abStep()
		if step == 0 {
			if m.over {
				stdout = "..done\n"
			}
			return stdout, ""
		}
		for n := (m.before/step + 1) * step; n <= m.done; n += step {
			stderr += fmt.Sprintf("Completed %d requests\n", n)
		}
		if m.over {
			stderr += fmt.Sprintf("Finished %d requests\n", m.done)
		}
		return "", stderr
	},
	print: abPrint,
	notes: []note{
		always("requests are HTTP/1.1; ab's are HTTP/1.0"),
		func(f *figures) string {
			if f.variable {
				return "Server Software is of a request before the load"
			}
			return "Server Software and Document Length are of a request before the load; ab takes its first response"
		},
		func(f *figures) string {
			if f.NoKeepalive {
				return ""
			}
			return "the times to connect are of connections opened before the load and not part of Total; requests " +
				"on a kept connection count with 0"
		},
		func(f *figures) string {
			if len(f.Load.TLS) == 0 || !f.NoKeepalive {
				return ""
			}
			return fmt.Sprintf("the times to connect are without the TLS handshakes, whose median is %.3f ms; "+
				"Total is with them", merged(f.Detail.Handshake).quantile(.5)/1e6)
		},
		func(f *figures) string {
			n := f.Counted() - f.Answered()
			if n == 0 {
				return ""
			}
			text := fmt.Sprintf("of the complete requests %s had no response", document.Whole(n))
			if !f.tolerant {
				text += "; ab ends at the first such, without -r"
			}
			return text
		},
	},
}

// abFlags are the options of ab, in the order of its help.
var abFlags = []flag{
	{"n", "", "N", "requests (default 1)", func(o *Order, s string) (err error) {
		o.Requests, err = abNumber(s, 1<<31-1)
		return err
	}},
	{"c", "", "N", "connections (default 1)", func(o *Order, s string) (err error) {
		o.Connections, err = abNumber(s, 20_000)
		return err
	}},
	{"t", "", "SECONDS", "end after this time, and after 50,000 requests unless a -n follows",
		func(o *Order, s string) error {
			n, err := abNumber(s, 1000*3600)
			o.timed, o.Duration, o.Requests = true, time.Duration(n)*time.Second, abTimed
			return err
		}},
	{"s", "", "SECONDS", "give up a request after this time (default 30)", func(o *Order, s string) error {
		n, err := abNumber(s, 1000*3600)
		o.Timeout = time.Duration(n) * time.Second
		return err
	}},
	{"b", "", "BYTES", "not supported: the system sizes the buffers of sockets",
		without("the system sizes the buffers of sockets; omit it")},
	{"B", "", "ADDRESS", "local IP address to connect from", func(o *Order, s string) error {
		if net.ParseIP(s) == nil {
			return errors.New("want an IP address, such as 127.0.0.2")
		}
		o.LocalAddrs = []string{s}
		return nil
	}},
	{"p", "", "FILE", "POST the content of this file", abMethod(http.MethodPost, true)},
	{"u", "", "FILE", "PUT the content of this file", abMethod(http.MethodPut, true)},
	{"T", "", "TYPE", "Content-Type of what -p and -u send (default text/plain)",
		text(func(o *Order, s string) { o.contentType = s })},
	{"v", "", "N", "not supported above 1: dyno prints no headers", func(o *Order, s string) error {
		if n, err := strconv.Atoi(s); err != nil || n > 1 {
			return errors.New("not supported above 1: dyno prints no headers; curl -v does")
		}
		return nil
	}},
	{"w", "", "", "not supported: dyno prints no HTML tables", without(abTables)},
	{"i", "", "", "send HEAD", abMethod(http.MethodHead, false)},
	{"x", "", "TEXT", "not supported, as -w", without(abTables)},
	{"y", "", "TEXT", "not supported, as -w", without(abTables)},
	{"z", "", "TEXT", "not supported, as -w", without(abTables)},
	{"C", "", "COOKIE", "a cookie, name=value; may be repeated",
		text(func(o *Order, s string) { o.cookies = append(o.cookies, s) })},
	{"H", "", "HEADER", "a header, \"Name: value\"; may be repeated",
		text(func(o *Order, s string) { o.Headers = append(o.Headers, s) })},
	{"A", "", "USER:PASSWORD", "credentials for the server, sent with each request", text(func(o *Order, s string) {
		o.sends("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(strings.TrimLeft(s, " "))))
	})},
	{"P", "", "USER:PASSWORD", "not supported: dyno gives no proxy a password",
		without("dyno gives no proxy a password; load the server itself")},
	{"X", "", "HOST:PORT", "not supported: dyno load --proxy does this", without("dyno load --proxy does this")},
	{"k", "", "", "keep connections open", on(func(o *Order) { o.NoKeepalive = false })},
	{"d", "", "", "print no percentiles", on(func(o *Order) { o.bare = true })},
	{"S", "", "", "print neither deviations nor medians", on(func(o *Order) { o.plain = true })},
	{"q", "", "", "show no progress", on(func(o *Order) { o.quiet = true })},
	{"l", "", "", "accept responses of different lengths", on(func(o *Order) { o.variable = true })},
	{"g", "", "FILE", "not supported: dyno keeps no time of each request",
		without("dyno keeps no time of each request; dyno load --hdr FILE writes their distribution")},
	{"e", "", "FILE", "write the percentiles into this CSV file", text(func(o *Order, s string) { o.csv = s })},
	{"r", "", "", "no effect: dyno always goes on after an error", on(func(o *Order) { o.tolerant = true })},
	{"m", "", "METHOD", "method", func(o *Order, s string) error { o.Method = s; return nil }},
	{"I", "", "", "not supported with https: to send no server name", opposed("-I")},
	{"Z", "", "SUITE", "not supported with https: Go chooses the cipher suite", opposed("-Z")},
	{"f", "", "PROTOCOL", "not supported with https: the highest common version is used", opposed("-f")},
	{"E", "", "FILE", "certificate and key of the client", text(func(o *Order, s string) { o.secure.Cert = s })},
}

const abTables = "dyno prints no HTML tables; omit it, or see dyno load --json"

// abNumber reads a whole number. ab itself takes 10k for 10.
func abNumber(s string, most int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a whole number from 1 to %d", most)
	}
	return n, nil
}

// abMethod returns the setter of an option that sets the method, and may name the file with the body.
func abMethod(method string, body bool) func(*Order, string) error {
	return func(o *Order, file string) error {
		if o.Method != "" && o.Method != method {
			return fmt.Errorf("%s cannot be mixed with %s", method, o.Method)
		}
		if o.Method = method; !body {
			return nil
		}
		o.BodyFile = file
		_, err := os.Stat(file)
		return err
	}
}

func abComplete(o *Order) error {
	if _, _, err := abURL(o.URL); err != nil {
		return o.usagef("%s: %w", o.URL, err)
	}
	if o.Connections > o.Requests {
		return o.usagef("-c %d -n %d: want no more connections than requests", o.Connections, o.Requests)
	}
	if o.timed {
		o.Limit, o.Requests = o.Requests, 0
	}
	if o.BodyFile != "" {
		o.sends("Content-type: " + o.contentType)
	}
	if o.cookies != nil {
		o.sends("Cookie: " + strings.Join(o.cookies, "; "))
	}
	o.sends("User-Agent: ApacheBench/2.3", "Accept: */*")
	var err error
	o.ExpectStatus, err = scenario.ParseStatuses("2xx")
	return err
}

// abURL splits a URL into host and port. A path is needed, the scheme is not.
func abURL(s string) (host, port string, err error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", "", err
	case u.Hostname() == "" || u.Path == "":
		return "", "", errors.New("want a URL with a host and a path, such as http://127.0.0.1:8080/")
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return u.Hostname(), port, nil
}

// abStep returns after how many requests ab prints a line of progress; 0: never.
func (o *Order) abStep() int64 {
	n := o.Requests + o.Limit
	if o.quiet || n <= 150 {
		return 0
	}
	return max(n/10, 100)
}

// kept returns the number of responses after which the connection stayed open.
func (f *figures) kept() int64 {
	again := max(0, f.Dialled()-int64(f.Load.Established))
	return max(0, f.Answered()-again)
}
