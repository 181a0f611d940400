package fleet

import "syscall"

// impatient lets a connection end 8 s after bytes were sent that the other side did not acknowledge
// (TCP_USER_TIMEOUT of tcp(7), RFC 5482); without it the kernel would try for a quarter of an hour.
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
