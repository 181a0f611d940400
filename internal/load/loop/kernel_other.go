//go:build !linux

package loop

import (
	"context"
	"errors"
	"syscall"
	"time"

	"dyno/internal/load"
)

// Everything here is for epoll alone: Engine.Net is always set on this system.

const kernel = false

type (
	event struct {
		Events uint32
		Fd     int32
	}
	sleeper func(ep int, events []event, ns int64) (int, syscall.Errno)
	address struct{}
)

const (
	eventIn uint32 = 1 << iota
	eventOut
	eventEnd
	eventHangup
	eventError
)

func (a address) own() address { return a }

func (w *worker) listen() error        { return errors.ErrUnsupported }
func (w *worker) watchOut(*conn, bool) {}
func (w *worker) pinned(func())        {}
func (w *worker) connect(c *conn) (bool, error) {
	c.pipe = w.bell.dial(w.job.Endpoint, c.id)
	return true, nil
}

func resolve(context.Context, *load.Job) (address, error) { return address{}, errors.ErrUnsupported }
func poll(int, []event) (int, syscall.Errno)              { return 0, syscall.ENOTSUP }
func recv(int, []byte) (int, syscall.Errno)               { return 0, syscall.ENOTSUP }
func send(int, []byte) (int, syscall.Errno)               { return 0, syscall.ENOTSUP }
func sendBoth(int, []byte, string) (int, syscall.Errno)   { return 0, syscall.ENOTSUP }
func socketError(int) error                               { return errors.ErrUnsupported }
func isOwn(int) bool                                      { return false }
func closeFile(int)                                       {}
func precise() func()                                     { return func() {} }
func cpuTime() int64                                      { return 0 }
func queueDelay() int64                                   { return 0 }
func rest(d time.Duration)                                { time.Sleep(d) }
