package machine

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Messages for socket diagnostics (sock_diag(7), include/uapi/linux/inet_diag.h): the request is
// struct inet_diag_req_v2, the answer struct inet_diag_msg. Ports and addresses are in network byte
// order, other numbers in the machine's.
const (
	diagRequest = 56
	diagAnswer  = 72

	requestStates = 4 // bit mask by state
	requestPort   = 8
	answerPort    = 4
	answerAddress = 8
	answerInode   = 68

	stateListen = 10 // TCP_LISTEN
)

// diagnosed returns the sockets in an address family that listen on a TCP port in this network;
// port 0 means any. The kernel looks through listening sockets only. Note: /proc/net/tcp lists all
// connections as well, and reading it takes 80 ms on a machine with much memory, where the
// connection table is large.
func diagnosed(family byte, port int) ([]listener, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	ask := make([]byte, unix.NLMSG_HDRLEN+diagRequest)
	order := binary.NativeEndian
	order.PutUint32(ask, uint32(len(ask)))
	order.PutUint16(ask[4:], unix.SOCK_DIAG_BY_FAMILY)
	order.PutUint16(ask[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	body := ask[unix.NLMSG_HDRLEN:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	order.PutUint32(body[requestStates:], 1<<stateListen)
	binary.BigEndian.PutUint16(body[requestPort:], uint16(port))
	if err := unix.Sendto(fd, ask, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, os.NewSyscallError("sendto", err)
	}
	var list []listener
	buf := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("recvfrom", err)
		}
		more, err := parseDiagnosed(buf[:n], &list)
		if err != nil || !more {
			return list, err
		}
	}
}

// parseDiagnosed adds the sockets in one kernel message to list, and reports whether another
// message follows.
func parseDiagnosed(data []byte, list *[]listener) (more bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(data)
	if err == nil && len(messages) == 0 {
		err = unix.EBADMSG
	}
	if err != nil {
		return false, fmt.Errorf("socket diagnostics: %w", err)
	}
	for _, m := range messages {
		switch m.Header.Type {
		case unix.NLMSG_DONE:
			return false, nil
		case unix.NLMSG_ERROR:
			if len(m.Data) < 4 {
				return false, unix.EBADMSG
			}
			return false, os.NewSyscallError("socket diagnostics",
				unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data))))
		case unix.SOCK_DIAG_BY_FAMILY:
			if len(m.Data) < diagAnswer {
				return false, unix.EBADMSG
			}
			length := 4
			if m.Data[0] == unix.AF_INET6 {
				length = 16
			}
			address, _ := netip.AddrFromSlice(m.Data[answerAddress : answerAddress+length])
			*list = append(*list, listener{address.Unmap(),
				int(binary.BigEndian.Uint16(m.Data[answerPort:])),
				fmt.Sprintf("socket:[%d]", binary.NativeEndian.Uint32(m.Data[answerInode:]))})
		}
	}
	return true, nil
}
