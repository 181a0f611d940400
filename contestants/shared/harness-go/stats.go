package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// init serves heap and goroutine statistics at DYNO_STATS, host:port, if it is set.
func init() {
	addr := os.Getenv("DYNO_STATS")
	if addr == "" {
		return
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatalf("serve DYNO_STATS: %v", err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				log.Printf("serve DYNO_STATS: %v", err)
				return
			}
			go answerStats(c)
		}
	}()
}

// answerStats answers one request, GET /stats, with runtime.ReadMemStats and the number of goroutines
// started so far, and closes the connection.
// It avoids net/http, which would enlarge the programs that do not use it.
func answerStats(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	in := bufio.NewReader(c)
	request, err := in.ReadString('\n')
	for line := request; err == nil && line != "\r\n"; {
		line, err = in.ReadString('\n')
	}
	if err != nil {
		return
	}
	status, body := "404 Not Found", []byte("{}\n")
	if len(request) > 11 && request[:11] == "GET /stats " {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		figures := map[string]uint64{
			"heap_inuse_bytes": m.HeapInuse, "total_alloc_bytes": m.TotalAlloc, "mallocs": m.Mallocs, "num_gc": uint64(m.NumGC),
		}
		started := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		if metrics.Read(started); started[0].Value.Kind() == metrics.KindUint64 { // since Go 1.26
			figures["goroutines_started"] = started[0].Value.Uint64()
		}
		status = "200 OK"
		body, _ = json.Marshal(figures)
	}
	fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, len(body), body)
}
