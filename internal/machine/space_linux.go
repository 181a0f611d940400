package machine

import "golang.org/x/sys/unix"

// FreeBytes returns the free space of a folder's file system; 0 if there is no such folder.
func FreeBytes(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return int64(st.Bavail) * st.Bsize
}
