package epoll

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// poll returns the events that are ready now. It is a raw call, like recv.
func poll(ep int, events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

// sleeper blocks up to ns nanoseconds for events. Unlike the raw calls it informs the Go scheduler.
type sleeper func(ep int, events []unix.EpollEvent, ns int64) (int, syscall.Errno)

// sleeperFor returns first if it works, tried once on ep, which has nothing registered yet; else
// sleepByPpoll.
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

// address is where to dial, resolved once.
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
	a.to = copied(a.to)
	return a
}

func copied(s unix.Sockaddr) unix.Sockaddr {
	switch s := s.(type) {
	case *unix.SockaddrInet4:
		return &unix.SockaddrInet4{Port: s.Port, Addr: s.Addr}
	case *unix.SockaddrInet6:
		return &unix.SockaddrInet6{Port: s.Port, Addr: s.Addr, ZoneId: s.ZoneId}
	case *unix.SockaddrUnix:
		return &unix.SockaddrUnix{Name: s.Name}
	}
	return s
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

// isOwn reports whether fd is connected to itself. A dial to an unused port of this machine can
// succeed this way, by simultaneous open (RFC 9293 3.5), if the kernel chooses the same port as the
// source. The connection would then keep the port from the server that comes back.
func (a *address) isOwn(fd int) bool {
	if a.family == unix.AF_UNIX {
		return false
	}
	var local, peer [unix.SizeofSockaddrInet6]byte
	return name(unix.SYS_GETSOCKNAME, fd, &local) && name(unix.SYS_GETPEERNAME, fd, &peer) && local == peer
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
