package wire

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadSocket returns a TCP connection's counts; ok is false for another fd, and on kernels before 4.6.
// The call is raw, because it never blocks, and does not allocate.
func ReadSocket(fd int) (s Socket, ok bool) {
	var i unix.TCPInfo
	size := uint32(unsafe.Sizeof(i))
	_, _, errno := syscall.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&i)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return s, false
	}
	return socketOf(&i, uintptr(size))
}

// socketOf reads the first size bytes in i, which this kernel has filled in.
func socketOf(i *unix.TCPInfo, size uintptr) (s Socket, ok bool) {
	has := func(offset uintptr) bool { return offset+unsafe.Sizeof(i.Segs_out) <= size }
	if !has(unsafe.Offsetof(i.Data_segs_out)) {
		return s, false
	}
	s = Socket{sent: i.Segs_out, received: i.Segs_in, retransmitted: i.Total_retrans, duplicates: i.Dsack_dups,
		outOfOrder: i.Rcv_ooopack}
	sacks := i.Options&optSACK != 0 || i.Data_segs_out == 0 // an unanswered SYN was not received twice
	s.noDuplicates = !has(unsafe.Offsetof(i.Dsack_dups)) || !sacks
	s.noOrder = !has(unsafe.Offsetof(i.Rcv_ooopack))
	return s, true
}

const optSACK = 2 // TCPI_OPT_SACK
