package wire

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// InNamespace runs f on a thread in file's namespace; "" is dyno's own. f makes sockets and starts no
// goroutine that makes some.
func InNamespace(file string, f func() error) error {
	if file == "" {
		return f()
	}
	runtime.LockOSThread() // unlocked only when the thread is back: otherwise it ends with its goroutine
	back, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("find dyno's network namespace: %w", err)
	}
	defer back.Close()
	if err := enter(file); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err = f()
	if e := unix.Setns(int(back.Fd()), unix.CLONE_NEWNET); e != nil {
		return fmt.Errorf("leave the network namespace %s: %w", file, e)
	}
	runtime.UnlockOSThread()
	return err
}

func enter(file string) error {
	ns, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open a network namespace: %w", err)
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network namespace %s: %w", file, err)
	}
	return nil
}

// NewNamespace puts the calling thread, which must be locked and never unlocked, into a new network
// namespace, in which only the loopback interface is up. It needs CAP_SYS_ADMIN.
func NewNamespace() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("bring up the loopback interface of a network namespace: %w", err)
	}
	return nil
}

// NamespacesAllowed reports why no namespace can be made here, nil if one can.
func NamespacesAllowed() error {
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // its thread ends with it
		made <- NewNamespace()
	}()
	return <-made
}
