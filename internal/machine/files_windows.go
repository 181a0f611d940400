package machine

import "io/fs"

// RoomFor does nothing here: there is no limit of open files to raise.
func RoomFor(connections, others int64) error { return nil }

func ownedByOther(fs.FileInfo) (bool, int) { return false, 0 }

func private(string, fs.FileInfo) error { return nil }
