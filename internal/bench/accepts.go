package bench

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"

	"dyno/internal/endpoint"
)

// dialledLate is a time that a dial within one machine exceeds only if the kernel dropped its first
// packet, because the server's accept queue was full: the packet is sent again after 1 s (RFC 6298,
// 2.1).
const dialledLate = 900 * time.Millisecond

// emptied is the time that a server gets to empty its accept queue.
const emptied = 300 * time.Millisecond

// accepts returns an error if a server does not accept n connections that are opened at once: each
// trial opens as many, and would wait for them longer than it lasts. It says how many it takes, and
// how command, the one that was typed, asks for as many.
func accepts(ctx context.Context, from Asker, to endpoint.Endpoint, n int, command string) error {
	all, err := from.Ask(ctx, to, Question{What: AskDial, Number: n})
	if all.Late == 0 || err != nil {
		return err
	}
	fewer := n / 2
	for ; fewer > 1 && ctx.Err() == nil; fewer /= 2 {
		time.Sleep(emptied)
		if some, err := from.Ask(ctx, to, Question{What: AskDial, Number: fewer}); some.Late == 0 && err == nil {
			break
		}
	}
	return fmt.Errorf("of %d connections opened at once, %d were accepted only after a second or not at all, "+
		"because the server's listen backlog is too short; increase it, or use fewer connections:\n"+
		"  %s",
		n, all.Late, withConnections(command, max(fewer, 1)))
}

// connectionsFlag matches the flag in a recorded command line.
var connectionsFlag = regexp.MustCompile(` --connections[= ]\S+`)

// withConnections returns a command line with another number of connections.
func withConnections(command string, n int) string {
	return fmt.Sprintf("%s --connections %d", connectionsFlag.ReplaceAllString(command, ""), n)
}

// dialAll opens n connections at once, closes them again, and returns how many were late or failed.
func dialAll(ctx context.Context, to endpoint.Endpoint, n int) (late int) {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	var mu sync.Mutex
	var all []net.Conn
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			began := time.Now()
			conn, err := to.Connect(ctx, &dialer) // the queue is all that counts, not how fast handshakes are
			took := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || took > dialledLate {
				late++
			}
			if err == nil {
				all = append(all, conn)
			}
		})
	}
	wg.Wait()
	for _, conn := range all {
		conn.Close()
	}
	return late
}
