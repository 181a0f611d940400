// Package loadtest is the suite that every load.Engine must pass, against servers that follow a
// script, most of them badly.
package loadtest

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server runs a script for each connection that it accepts.
type server struct {
	net.Listener
	script   func(*peer)
	accepted atomic.Int64
	requests atomic.Int64  // read completely
	bytes    atomic.Int64  // of them
	dropped  atomic.Int64  // for scripts: requests that they meant to leave unanswered
	stopped  chan struct{} // closed by stop
	stopOnce sync.Once
	wg       sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
	lines    []string    // request lines, in the order they came
	begun    []time.Time // when each was read
	dialled  []time.Time // when each connection was accepted
}

// peer is the server's end of one connection.
type peer struct {
	net.Conn
	*server
	r     *bufio.Reader
	index int      // of the connection, from 0
	n     int      // requests read
	head  []string // lines of the last
	size  int      // of its head, in bytes
	sum   uint32   // CRC-32 of the last body
}

// serve starts a server on a free address of network.
func serve(t *testing.T, network string, script func(*peer)) *server {
	t.Helper()
	addr := loopback() + ":0"
	if network == "unix" {
		dir, err := os.MkdirTemp("", "dyno") // t.TempDir may be too long for a socket's path
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		addr = filepath.Join(dir, "s")
	}
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, ln, script)
}

var loopbacks atomic.Uint32

// loopback is an address of this machine that no other server of the tests has, where the system has
// more than one: on one address the port of a server that was stopped may be given to another test's.
func loopback() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	n := loopbacks.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", 1+os.Getpid()%250, 1+n/250%250, 1+n%250)
}

func serveOn(t *testing.T, ln net.Listener, script func(*peer)) *server {
	s := &server{Listener: ln, script: script, open: map[net.Conn]bool{}, stopped: make(chan struct{})}
	s.wg.Go(s.accept)
	t.Cleanup(func() {
		s.stop()
		s.wg.Wait()
	})
	return s
}

func (s *server) accept() {
	for {
		c, err := s.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		select {
		case <-s.stopped: // while it was being accepted
			s.mu.Unlock()
			c.Close()
			return
		default:
		}
		s.open[c] = true
		select {
		case <-s.stopped: // which did not see it
			c.Close()
		default:
		}
		s.dialled = append(s.dialled, time.Now())
		s.mu.Unlock()
		p := &peer{Conn: c, server: s, r: bufio.NewReader(c), index: int(s.accepted.Add(1)) - 1}
		s.wg.Go(func() {
			s.script(p)
			c.Close()
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
		})
	}
}

// stop refuses new connections and breaks off the old ones.
func (s *server) stop() {
	s.stopOnce.Do(func() { close(s.stopped) })
	s.Listener.Close()
	s.hangUp()
}

func (s *server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.Close()
	}
}

// Close returns the connection's: both embedded fields have one.
func (p *peer) Close() error { return p.Conn.Close() }

// next reads one request with its body. It is false when the client has gone.
func (p *peer) next() bool { return p.nextHead() && p.body() }

// nextHead reads a request up to its body.
func (p *peer) nextHead() bool {
	p.size = 0
	p.head = p.head[:0]
	for first := true; ; first = false {
		line, err := p.r.ReadString('\n')
		if err != nil {
			return false
		}
		p.size += len(line)
		line = strings.TrimRight(line, "\r\n")
		if first {
			p.mu.Lock()
			p.lines = append(p.lines, line)
			p.begun = append(p.begun, time.Now())
			p.mu.Unlock()
		}
		if line == "" {
			return true
		}
		p.head = append(p.head, line)
	}
}

// body reads the body of the request whose head was read.
func (p *peer) body() bool {
	length, _ := strconv.Atoi(p.field("Content-Length"))
	sum := crc32.NewIEEE()
	n, err := io.CopyN(sum, p.r, int64(length))
	if err != nil {
		return false
	}
	p.sum = sum.Sum32()
	p.n++
	p.requests.Add(1)
	p.bytes.Add(int64(p.size) + n)
	return true
}

// eventually waits for what the server comes to see a little after the client.
func (s *server) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(never); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never so many %s: %d", what, s.accepted.Load())
		}
	}
}

// field returns the value of a header field of the last request, or "".
func (p *peer) field(name string) string {
	for _, line := range p.head {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return value
		}
	}
	return ""
}

func (p *peer) say(s string) { io.WriteString(p.Conn, s) }

// reset closes with RST.
func (p *peer) reset() {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		c.SetLinger(0)
	}
	p.Conn.Close()
}

// each answers every request alike.
func each(answer string) func(*peer) {
	return func(p *peer) {
		for p.next() {
			p.say(answer)
		}
	}
}
