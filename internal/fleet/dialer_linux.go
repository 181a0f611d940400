package fleet

import "syscall"

// impatient ends a connection 8 s after sending bytes that the other side does not acknowledge
// (TCP_USER_TIMEOUT, tcp(7), RFC 5482); by default the kernel tries for a quarter of an hour.
func impatient(_, _ string, c syscall.RawConn) error {
	const userTimeout = 0x12
	var err error
	if e := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, 8000)
	}); e != nil {
		return e
	}
	return err
}
