package imitate

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"strconv"
	"strings"

	"dyno/internal/load"
)

// abBanner is what ab prints before the load: the host, and what stands behind it.
const abBanner = `This is ApacheBench, Version 2.3 <$Revision$>
Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/
Licensed to The Apache Software Foundation, http://www.apache.org/

Benchmarking %s (be patient)%s`

// abOutput is what ab prints after the load.
type abOutput struct {
	Software, Host, Port, Path string
	TLS                        *abTLS // nil: not encrypted
	Variable                   bool
	Length                     int64 // of the document
	Connections                int64
	Seconds                    float64
	Complete, Failed           int64
	Connect, Receive           int64 // errors
	Lengths, Exceptions        int64
	Wrong                      int64 // Non-2xx responses
	KeepAlive                  bool
	Kept                       int64
	Read, Bodies               int64 // bytes
	Sends                      bool  // requests have bodies
	Sent                       int64 // bytes
	Rated                      bool  // there is a rate
	PerSec                     float64
	Plain                      bool
	Rows                       []abRow
	Percentiles                []percentile // in ms
}

// abTLS is what most connections negotiated.
type abTLS struct{ Protocol, Group, Name string }

// secured returns what most connections negotiated; nil if they are not encrypted.
func (f *figures) secured(host string) *abTLS {
	if len(f.Load.TLS) == 0 {
		return nil
	}
	most := f.Load.TLS[0]
	t := &abTLS{Protocol: strings.Replace(most.Version, "TLS ", "TLSv", 1) + "," + most.Suite, Group: most.Group}
	if net.ParseIP(host) == nil {
		t.Name = host
	}
	return t
}

// abRow is a row of the table of times, in ms.
type abRow struct {
	Name, Full string
	stats
}

const abText = `

Server Software:        {{.Software}}
Server Hostname:        {{.Host}}
Server Port:            {{.Port}}
{{- with .TLS}}
SSL/TLS Protocol:       {{.Protocol}}
{{- if .Group}}
Server Temp Key:        {{.Group}}
{{- end}}
{{- if .Name}}
TLS Server Name:        {{.Name}}
{{- end}}
{{- end}}

Document Path:          {{.Path}}
Document Length:        {{if .Variable}}Variable{{else}}{{.Length}} bytes{{end}}

Concurrency Level:      {{.Connections}}
Time taken for tests:   {{printf "%.3f" .Seconds}} seconds
Complete requests:      {{.Complete}}
Failed requests:        {{.Failed}}
{{- if .Failed}}
   (Connect: {{.Connect}}, Receive: {{.Receive}}, Length: {{.Lengths}}, Exceptions: {{.Exceptions}})
{{- end}}
{{- if .Wrong}}
Non-2xx responses:      {{.Wrong}}
{{- end}}
{{- if .KeepAlive}}
Keep-Alive requests:    {{.Kept}}
{{- end}}
Total transferred:      {{.Read}} bytes
{{- if .Sends}}
Total body sent:        {{.Sent}}
{{- end}}
HTML transferred:       {{.Bodies}} bytes
{{- if .Rated}}
Requests per second:    {{printf "%.2f" .PerSec}} [#/sec] (mean)
Time per request:       {{printf "%.3f" (.PerRequest .Connections)}} [ms] (mean)
Time per request:       {{printf "%.3f" (.PerRequest 1)}} [ms] (mean, across all concurrent requests)
Transfer rate:          {{printf "%.2f" (.Kilobytes .Read)}} [Kbytes/sec] received
{{- if .Sends}}
                        {{printf "%.2f" (.Kilobytes .Sent)}} kb/s sent
                        {{printf "%.2f" (.Kilobytes .Read .Sent)}} kb/s total
{{- end}}
{{- end}}
{{if .Rows}}
Connection Times (ms)
{{if .Plain}}              min   avg   max
{{- else}}              min  mean[+/-sd] median   max
{{- end}}
{{- range .Rows}}
{{printf "%-12s" .Name}}
{{- if $.Plain}}{{printf "%5.0f %5.0f%5.0f" .Min .Mean .Max}}
{{- else}}{{printf "%5.0f %4.0f %5.1f %6.0f %7.0f" .Min .Mean .SD .Median .Max}}{{end}}
{{- end}}
{{range .Rows}}{{if not $.Plain}}{{.Doubt}}{{end}}{{end}}
{{- if .Percentiles}}
Percentage of the requests served within a certain time (ms)
{{- range .Percentiles}}
{{printf " %3.0f%%  %5.0f" .Percent .Value}}{{if eq .Percent 100.0}} (longest request){{end}}
{{- end}}
{{end}}
{{- end}}`

// PerRequest returns the time in ms for each complete request, where n are made at once.
func (o *abOutput) PerRequest(n int64) float64 {
	return float64(n) * 1000 * o.Seconds / float64(o.Complete)
}

// Kilobytes returns kB of 1,024 bytes per second.
func (o *abOutput) Kilobytes(bytes ...int64) (v float64) {
	for _, b := range bytes {
		v += float64(b) / 1024 / o.Seconds
	}
	return v
}

// Doubt returns ab's lines about a mean that is far from the median; "" if it is not.
func (r abRow) Doubt() string {
	switch apart := math.Abs(math.Round(r.Mean) - math.Round(r.Median)); {
	case apart > 2*r.SD:
		return "ERROR: The median and mean for " + r.Full + " are more than twice the standard\n" +
			"       deviation apart. These results are NOT reliable.\n"
	case apart > r.SD:
		return "WARNING: The median and mean for " + r.Full + " are not within a normal deviation\n" +
			"        These results are probably not that reliable.\n"
	}
	return ""
}

var abFill = printer(abText, nil, abFigures)

// abPrint prints the figures, and writes the file of percentiles.
func abPrint(w io.Writer, f *figures) error {
	if err := abFill(w, f); err != nil || f.csv == "" {
		return err
	}
	return abFile(f.csv, f.abTotal())
}

// abTotal returns the time of whole requests, from connecting on where each has a connection.
func (f *figures) abTotal() times {
	if f.NoKeepalive {
		return f.response()
	}
	return f.service()
}

func abFigures(f *figures) *abOutput {
	host, port, _ := abURL(f.URL)
	o := &abOutput{
		Software: f.server(), Host: host, Port: port, Path: f.path(), Variable: f.variable,
		Length: int64(len(f.first.Body)), Connections: f.Connections, Seconds: f.Seconds,
		Complete: f.Counted(), Connect: f.Errors(load.Dial, load.Handshake),
		Receive:    f.Errors(load.Reset, load.Closed, load.Parse),
		Lengths:    f.Failures(load.Header, load.Length, load.Body),
		Exceptions: f.Errors(load.Timeout, load.Write), Wrong: f.Failures(load.Status),
		KeepAlive: !f.NoKeepalive, Kept: f.kept(), Read: f.Load.BytesRead, Bodies: f.Detail.BodyBytes,
		Sends: f.BodyFile != "", Sent: f.Load.BytesWritten,
		Rated: f.Counted() > 0 && f.Seconds > 0, PerSec: f.PerSec(), Plain: f.plain,
	}
	o.Failed = o.Connect + o.Receive + o.Lengths + o.Exceptions
	o.TLS = f.secured(host)
	total := f.abTotal()
	if total.h.Count() == 0 {
		return o
	}
	connect := merged(f.Detail.Connect)
	if o.KeepAlive { // a request on a connection that is open takes no time to connect
		connect.h.RecordN(0, total.h.Count()-connect.h.Count())
	}
	for _, row := range []struct {
		name, full string
		of         times
	}{
		{"Connect:", "the initial connection time", connect}, {"Processing:", "the processing time", f.service()},
		{"Waiting:", "the waiting time", merged(f.Detail.FirstByte)}, {"Total:", "the total time", total},
	} {
		o.Rows = append(o.Rows, abRow{row.name, row.full, row.of.stats(1e6)})
	}
	if !f.bare && total.h.Count() > 1 {
		o.Percentiles = total.quantiles(1e6, 50, 66, 75, 80, 90, 95, 98, 99, 100)
	}
	return o
}

// path returns the path of the URL, with its query.
func (f *figures) path() string {
	_, rest, ok := strings.Cut(f.URL, "://")
	if !ok {
		rest = f.URL
	}
	return rest[strings.Index(rest, "/"):]
}

// server returns what the first response says of its server.
func (f *figures) server() string {
	name, _ := f.first.Get("server")
	return name
}

// abFile writes the time in ms within which each per cent of the requests was served.
func abFile(name string, total times) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("-e: %w", err)
	}
	w := csv.NewWriter(file)
	w.Write([]string{"Percentage served", "Time in ms"})
	for p := range 101 {
		w.Write([]string{strconv.Itoa(p), fmt.Sprintf("%.3f", total.quantile(float64(p)/100)/1e6)})
	}
	w.Flush()
	if err = w.Error(); err == nil {
		return file.Close()
	}
	file.Close()
	return fmt.Errorf("-e: %w", err)
}
