package bench

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"

	"dyno/internal/netns"
)

// dialledLate is how long a dial within one machine takes only if the server's kernel dropped its
// first packet because the queue of connections to be accepted was full: it is sent again after 1 s
// (RFC 6298, 2.1).
const dialledLate = 900 * time.Millisecond

// emptied is how long a server is left alone to accept what waits in its queue.
const emptied = 300 * time.Millisecond

// accepts reports an error if a server does not take n connections that are opened at once: each
// trial opens as many, and would wait for them longer than it lasts. It says how many it takes, and
// how command, the one that was typed, asks for as many.
func accepts(ctx context.Context, network, addr string, n int, command string) error {
	late := dialAll(ctx, network, addr, n)
	if late == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	fewer := n / 2
	for ; fewer > 1 && ctx.Err() == nil; fewer /= 2 {
		time.Sleep(emptied)
		if dialAll(ctx, network, addr, fewer) == 0 {
			break
		}
	}
	return fmt.Errorf("of %d connections opened at once %d were taken after a second or not at all: its listen "+
		"backlog, the queue in which they wait, is too short. Make it longer, or take fewer connections:\n  %s",
		n, late, withConnections(command, max(fewer, 1)))
}

// connectionsFlag finds the flag in a command line as the record has it.
var connectionsFlag = regexp.MustCompile(` --connections[= ]\S+`)

// withConnections is a command line with another number of connections.
func withConnections(command string, n int) string {
	return fmt.Sprintf("%s --connections %d", connectionsFlag.ReplaceAllString(command, ""), n)
}

// dialAll opens n connections at once, closes them again, and returns how many came late or not at
// all.
func dialAll(ctx context.Context, network, addr string, n int) (late int) {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	var mu sync.Mutex
	var all []net.Conn
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			began := time.Now()
			conn, err := netns.Dial(ctx, &dialer, network, addr)
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
