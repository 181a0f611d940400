//go:build !gonet

package loop

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// socket is a connection's file descriptor, and poller an epoll instance's.
type (
	socket = int
	poller = int
)

const noSocket socket = -1

// poll returns the events that are ready now. It is a raw call, like recv.
func poll(ep int, events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

// sleeper blocks up to ns nanoseconds for events. Unlike the raw calls it informs the Go scheduler.
type sleeper func(ep int, events []unix.EpollEvent, ns int64) (int, syscall.Errno)

// sleeperFor returns first if it works, else sleepByPpoll. It tries first once on ep, with which
// nothing is registered yet.
func sleeperFor(ep int, first sleeper) sleeper {
	var events [1]unix.EpollEvent
	if _, errno := first(ep, events[:], 0); errno != 0 && errno != syscall.EINTR {
		return sleepByPpoll
	}
	return first
}

func sleepByPwait2(ep int, events []unix.EpollEvent, ns int64) (int, syscall.Errno) {
	t := unix.NsecToTimespec(ns)
	n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(ep),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)),
		uintptr(unsafe.Pointer(&t)), 0, 0)
	return int(n), errno
}

// sleepByPpoll takes one more call than sleepByPwait2. It is for kernels before 5.11, which lack
// epoll_pwait2, and sandboxes that forbid it; epoll_pwait counts in milliseconds.
func sleepByPpoll(ep int, events []unix.EpollEvent, ns int64) (int, syscall.Errno) {
	t := unix.NsecToTimespec(ns)
	fd := unix.PollFd{Fd: int32(ep), Events: unix.POLLIN}
	n, _, errno := syscall.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fd)), 1,
		uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return 0, errno
	}
	return poll(ep, events)
}

// address is a resolved address to dial.
type address struct {
	family int
	to     unix.Sockaddr
	space  string // network namespace file; "": dyno's own
}

func resolve(ctx context.Context, job *load.Job) (a address, err error) {
	addr := job.Addr
	network, space := wire.SplitNamespace(job.Network)
	a.space = space
	switch network {
	case "unix":
		return address{family: unix.AF_UNIX, to: &unix.SockaddrUnix{Name: addr}}, nil
	case "tcp":
		at, err := job.Locate(ctx)
		if err != nil {
			return a, err
		}
		addr = at.Addr
		to, err := net.ResolveTCPAddr(network, addr) // it asks no resolver
		if err != nil {
			return a, err
		}
		if to.IP == nil {
			to.IP = net.IPv4(127, 0, 0, 1)
		}
		if a.to, a.family, err = sockaddr(to); err != nil {
			return a, err
		}
	default:
		return a, fmt.Errorf("network %q is neither tcp nor unix", job.Network)
	}
	return a, nil
}

func sockaddr(a *net.TCPAddr) (unix.Sockaddr, int, error) {
	if ip := a.IP.To4(); ip != nil {
		return &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(ip)}, unix.AF_INET, nil
	}
	to := &unix.SockaddrInet6{Port: a.Port, Addr: [16]byte(a.IP.To16())}
	if a.Zone != "" {
		i, err := net.InterfaceByName(a.Zone)
		if err != nil {
			return nil, 0, err
		}
		to.ZoneId = uint32(i.Index)
	}
	return to, unix.AF_INET6, nil
}

// own returns a copy for one worker: unix.Connect writes into the Sockaddr.
func (a address) own() address {
	switch to := a.to.(type) {
	case *unix.SockaddrInet4:
		own := *to
		a.to = &own
	case *unix.SockaddrInet6:
		own := *to
		a.to = &own
	case *unix.SockaddrUnix:
		own := *to
		a.to = &own
	}
	return a
}

// event is an event as epoll reports it.
type event = unix.EpollEvent

const (
	eventIn     = unix.EPOLLIN
	eventOut    = unix.EPOLLOUT
	eventEnd    = unix.EPOLLRDHUP
	eventHangup = unix.EPOLLHUP
	eventError  = unix.EPOLLERR
)

// listen makes the worker's epoll instance.
func (w *worker) listen() (err error) {
	if w.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("create epoll: %w", err)
	}
	w.block = sleeperFor(w.ep, sleepByPwait2)
	return nil
}

// deafen closes the worker's epoll instance.
func (w *worker) deafen() { unix.Close(w.ep) }

// connect starts to connect c. pending means that an event will report the result.
func (w *worker) connect(c *conn) (pending bool, err error) {
	c.fd, pending, err = w.addr.socket(w.ep, c.id)
	return pending, err
}

// watchOut asks epoll to report when a unix socket accepts bytes again; a TCP socket has EPOLLOUT
// from the start (see address.socket).
func (w *worker) watchOut(c *conn, full bool) {
	if c.fd >= 0 && w.addr.family == unix.AF_UNIX {
		unix.EpollCtl(w.ep, unix.EPOLL_CTL_MOD, c.fd, w.addr.interest(c.id, full))
	}
}

// socket starts to connect, and registers with ep under id, once for the connection's life. pending
// means that EPOLLOUT will report the result.
//
// Note: a unix socket leaves EPOLLOUT out. Its peer's every read would raise it (unix_write_space
// in net/unix/af_unix.c), while TCP raises it only after a short write (sk_stream_write_space in
// net/core/stream.c). It connects at once anyway.
func (a *address) socket(ep int, id int32) (fd int, pending bool, err error) {
	err = wire.InNamespace(a.space, func() error {
		fd, err = unix.Socket(a.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, false, err
	}
	if a.family != unix.AF_UNIX {
		if err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			unix.Close(fd)
			return -1, false, err
		}
	}
	switch err = unix.Connect(fd, a.to); err {
	case nil:
	case unix.EINPROGRESS, unix.EINTR:
		pending = true
	default:
		unix.Close(fd)
		return -1, false, err
	}
	if err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, a.interest(id, false)); err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	return fd, pending, nil
}

// isOwn reports whether fd is connected to itself.
func isOwn(fd int) bool {
	var local, peer [unix.SizeofSockaddrInet6]byte
	return name(unix.SYS_GETSOCKNAME, fd, &local) && name(unix.SYS_GETPEERNAME, fd, &peer) && local == peer &&
		local[0] != unix.AF_UNIX
}

func name(call uintptr, fd int, to *[unix.SizeofSockaddrInet6]byte) bool {
	size := uint32(len(to))
	_, _, errno := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(&size)))
	return errno == 0
}

// interest returns the events that a connection registers; full says that a write was short.
func (a *address) interest(id int32, full bool) *unix.EpollEvent {
	e := &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: id}
	if full || a.family != unix.AF_UNIX {
		e.Events |= unix.EPOLLOUT
	}
	return e
}

// The hot calls are raw: they never block, so the scheduler need not know, and its entersyscall and
// exitsyscall would cost some 40 ns each. recvfrom and sendto avoid the work that read and write do
// for files. All return EINTR to the caller.

func recv(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), 0, 0, 0)
	return int(n), errno
}

func send(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// sendBoth sends b and then tail in one call, without copying tail.
func sendBoth(fd int, b []byte, tail string) (int, syscall.Errno) {
	pieces := [2]unix.Iovec{{Base: unsafe.SliceData(b)}, {Base: unsafe.StringData(tail)}}
	pieces[0].SetLen(len(b))
	pieces[1].SetLen(len(tail))
	m := unix.Msghdr{Iov: &pieces[0]}
	m.SetIovlen(len(pieces))
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)), unix.MSG_NOSIGNAL,
		0, 0, 0)
	return int(n), errno
}

// precise sets the calling thread's timer slack to the minimum, 1 ns, until the returned function
// is called. The default is 50 µs (PR_SET_TIMERSLACK(2const)); 0 restores it.
func precise() func() {
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() { unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }
}

// queueDelay returns how long the calling thread has waited on a run queue so far, in ns: the
// second field in its schedstat (kernel Documentation/scheduler/sched-stats.rst), 0 if the kernel
// does not report it.
func queueDelay() int64 {
	b, err := os.ReadFile("/proc/thread-self/schedstat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	ns, _ := strconv.ParseInt(fields[1], 10, 64)
	return ns
}

// pinned runs f on a locked thread with the worker's CPU affinity.
func (w *worker) pinned(f func()) {
	runtime.LockOSThread()
	if w.cpu >= 0 {
		var before, one unix.CPUSet
		if err := unix.SchedGetaffinity(0, &before); err == nil {
			one.Set(w.cpu)
			w.pinErr = unix.SchedSetaffinity(0, &one)
			defer func() {
				if unix.SchedSetaffinity(0, &before) == nil {
					runtime.UnlockOSThread()
				} // else the thread ends with this goroutine, as it is still locked
			}()
			f()
			return
		}
	}
	f()
	runtime.UnlockOSThread()
}

// cpuTime returns the CPU time of the calling thread in ns.
func cpuTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}

// rest blocks the calling thread for d, which ends as precisely as its timer slack allows.
func rest(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&t, nil)
}

func closeFile(fd int) { unix.Close(fd) }

// linked reports whether a socket that was being connected is, by its events, or why it is not.
func linked(fd int, events uint32) (bool, error) {
	errno, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		err = syscall.Errno(errno)
	}
	return err == nil && events&eventOut != 0, err
}

// mark begins to count segments on all connections.
func (w *worker) mark() {
	w.segments = wire.Segments{}
	for i := range w.conns {
		if c := &w.conns[i]; c.fd != noSocket {
			c.before, _ = wire.ReadSocket(c.fd)
		}
	}
}

// count adds c's segments, before c is closed or when its window is over.
func (w *worker) count(c *conn) {
	if c.fd != noSocket {
		w.segments.Add(c.fd, c.before)
	}
}
