//go:build !linux

package tcpstat

// Read returns false: dyno does not read this system's counts.
func Read(int) (s Socket, ok bool) { return s, false }
