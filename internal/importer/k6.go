package importer

import "dyno/internal/conf"

// k6Line is a line in k6's summary: a metric, dots, its values.
var k6Line = conf.Regexp(`^\s*(data_received|data_sent|http_req_\w+|http_reqs|checks|iterations|iteration_duration)` +
	`[ .]*\.{2,}:`)

// k6Time is a Go duration.
const k6Time = `([0-9.]+[0-9a-zµ.]*)`

// k6Lines are the lines in k6's summary that hold figures, as versions 0 and 1 print them. Virtual
// users do not count as connections, because they pause between requests.
var k6Lines = []pattern{
	line(`^\s*http_req_duration\.+: avg=`+k6Time+`\s+min=`+k6Time+`\s+med=`+k6Time+`\s+max=`+k6Time+
		`\s+p\(<num>\)=`+k6Time+`\s+p\(<num>\)=`+k6Time+`\s+p\(<num>\)=`+k6Time,
		"latency_mean latency_min p50 latency_max pct p pct p pct p", ""),
	line(`^\s*http_req_duration\.+: avg=`+k6Time+`\s+min=`+k6Time+`\s+med=`+k6Time+`\s+max=`+k6Time+
		`\s+p\(<num>\)=`+k6Time+`\s+p\(<num>\)=`+k6Time,
		"latency_mean latency_min p50 latency_max pct p pct p", ""),
	line(`^\s*http_req_failed\.+: [0-9.]+%\s+✓ <int>`, "failed", ""),
	line(`^\s*http_req_failed\.+: [0-9.]+%\s+<int> out of`, "failed", ""),
	line(`^\s*http_reqs\.+: <int>\s+([0-9.]+/s)`, "requests rps", ""),
}
