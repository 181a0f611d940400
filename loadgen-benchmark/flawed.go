//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// flawedCommand is the hidden first argument that makes this program a server with a known flaw:
//
//	loadgen-benchmark flawed stall|drop ADDR
//
// stall does not answer for the last 200 ms of every 2 s; drop closes the connection instead of answering every
// fourth request. On SIGTERM it prints its flawedTally on stderr, as JSON.
const flawedCommand = "flawed"

const (
	stallFor, stallEvery = 200 * time.Millisecond, 2 * time.Second
	dropEvery            = 4
)

// flawedTally counts the requests that were read, and those among them that were dropped.
type flawedTally struct {
	Requests int64 `json:"requests"`
	Dropped  int64 `json:"dropped"`
}

func flawed(args []string, stderr io.Writer) error {
	if len(args) != 2 || args[0] != "stall" && args[0] != "drop" {
		return fmt.Errorf("%s: want stall or drop, and ADDR", flawedCommand)
	}
	ln, err := net.Listen("tcp", args[1])
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { ln.Close() })
	s := &flawedServer{stalls: args[0] == "stall", start: time.Now()}
	for {
		c, err := ln.Accept()
		if err != nil {
			break
		}
		go s.serve(c)
	}
	requests := s.requests.Load()
	t := flawedTally{Requests: requests}
	if !s.stalls {
		t.Dropped = requests / dropEvery
	}
	return json.NewEncoder(stderr).Encode(t)
}

type flawedServer struct {
	stalls   bool
	start    time.Time
	requests atomic.Int64
}

// serve answers the requests on a connection.
func (s *flawedServer) serve(c net.Conn) {
	defer c.Close()
	for in := bufio.NewReader(c); ; {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		n := s.requests.Add(1)
		if !s.stalls && n%dropEvery == 0 {
			return
		}
		if left := stallEvery - time.Since(s.start)%stallEvery; s.stalls && left <= stallFor {
			time.Sleep(left)
		}
		if _, err := io.WriteString(c, timedAnswer); err != nil {
			return
		}
	}
}

// serveFlawed starts this program as a server with a flaw.
func (b *rig) serveFlawed(ctx context.Context, flaw string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return b.start(ctx, flaw, addr, self, flawedCommand, flaw, addr)
}
