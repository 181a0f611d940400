//go:build !linux && !darwin

package host

// RoomFor does nothing here: there is no limit of open files to raise.
func RoomFor(connections, others int64) error { return nil }
