//go:build !linux && !darwin

package machine

// RoomFor does nothing here: there is no open file limit to raise.
func RoomFor(connections, others int64) error { return nil }
