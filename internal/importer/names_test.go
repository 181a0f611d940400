package importer

import (
	"strings"
	"testing"
)

// TestNames reads column names as tools and people write them.
func TestNames(t *testing.T) {
	for head, want := range map[string]string{
		"Average": "latency_mean", "50th percentile": "p50", "p99_latency": "p99", "P99 (ms)": "p99", "p999": "p99.9",
		"p99_9_latency": "p99.9", "99.9th percentile": "p99.9", "99%": "p99", "95 " +
			"%ile": "p95", "percentile_99.999": "p99.999",
		"percentile50": "p50", "latency_p75_us": "p75", "bandwidth": "throughput", "status_2xx": "http2xx", "5xx": "http5xx",
		"Avg latency": "latency_mean", "100%": "p100",
	} {
		if f, ok := wideMetric(head); !ok || f.metric != want {
			t.Errorf("%q is %q, want %q", head, f.metric, want)
		}
	}
	for _, head := range []string{"CPU %", "Version", "50 users", "p", "4th place"} {
		if f, ok := wideMetric(head); ok {
			t.Errorf("%q is %q", head, f.metric)
		}
	}
}

// TestUnread names each unread column once, with the place of its first header.
func TestUnread(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"wide.csv", "name,rps,Stars,name,Max\na,1,5,b,9\n", "1:10 Stars, 1:16 name, 1:21 Max"},
		{"long.csv", "name,metric,value,language,flag,rps\na,rps,1,Go,,3\n", "1:19 language, 1:28 flag, 1:33 rps"},
		{"t.md", "| name | rps | Stars |\n|---|---|---|\n| a | 1 | 5 |\n\n| name | Stars | p99 " +
			"|\n|---|---|---|\n| a | 5 | 1 ms |\n",
			"1:16 Stars"},
		{"t.json", `[{"framework":"a","rps":1,"avg_latency":"1ms","cpu":"1%"},` + "\n" +
			`{"framework":"b","rps":1,"cpu":"1%","disk":3}]`,
			"1:53 cpu, 2:44 disk"},
	} {
		doc, err := Read(c.name, []byte(c.content), "")
		if err != nil {
			t.Fatal(c.name, err)
		}
		var got []string
		for _, u := range doc.Unread {
			got = append(got, strings.TrimPrefix(u.Place.String(), c.name+":")+" "+u.Text)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// TestUntypeset: offsets in the printed text lead back to the page's text.
func TestUntypeset(t *testing.T) {
	plain, at := untypeset("a — b\u00a0µs\u200b…")
	if plain != "a - b µs..." || at(3) != 5 || at(4) != 6 || at(len(plain)) != len("a — b\u00a0µs\u200b…") {
		t.Errorf("%q, %d, %d", plain, at(3), at(4))
	}
}
