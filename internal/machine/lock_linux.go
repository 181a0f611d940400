package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// machineLock is the file that a run locks while it measures. It holds a Holder as JSON and is
// never removed.
const machineLock = "dyno-measuring.lock"

// MachineLock keeps other runs from measuring on this machine until Release.
type MachineLock struct{ f *os.File }

// Tell says who holds the lock.
func (l *MachineLock) Tell(me Holder) {
	text, _ := json.Marshal(me)
	l.f.Truncate(0)
	l.f.WriteAt(append(text, '\n'), 0) // if another user made the file and it is not writable, the holder stays unnamed
}

// Release unlocks the machine.
func (l *MachineLock) Release() {
	l.f.Truncate(0)
	l.f.Close()
}

// LockMachine locks this machine. If another run holds the lock, the error is a *Busy. If wait is not
// nil, LockMachine instead calls it once with the holder and then waits until the lock is free or ctx
// ends.
func LockMachine(ctx context.Context, me Holder, wait func(Holder)) (*MachineLock, error) {
	f, err := openLock(lockFolder())
	if err != nil {
		return nil, fmt.Errorf("lock this machine for measuring: %w; set %s to a folder of your own",
			err, RuntimeVariable)
	}
	for notified := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		var other Holder
		if data, err := io.ReadAll(io.NewSectionReader(f, 0, 64<<10)); err == nil {
			json.Unmarshal(data, &other) // a run that has just begun has written nothing yet
		}
		switch {
		case !errors.Is(err, unix.EWOULDBLOCK):
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		case wait == nil:
			f.Close()
			return nil, &Busy{other}
		case !notified:
			wait(other)
			notified = true
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	lock := &MachineLock{f}
	lock.Tell(me)
	return lock, nil
}

// lockFolder returns a folder that all users on this machine share.
func lockFolder() string {
	if dir := os.Getenv(RuntimeVariable); dir != "" {
		return dir
	}
	for _, dir := range []string{"/run/lock", "/tmp"} {
		if st, err := os.Stat(dir); err == nil && st.Mode()&os.ModeSticky != 0 && st.Mode()&0o002 != 0 {
			return dir
		}
	}
	return os.TempDir()
}

// openLock opens the lock file in dir, which others may write to. The file must be a regular one
// with a single link, so that nobody can make dyno truncate another file.
func openLock(dir string) (*os.File, error) {
	path := filepath.Join(dir, machineLock)
	const safe = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK // O_NONBLOCK: do not wait if it is a pipe
	f, err := os.OpenFile(path, os.O_RDWR|safe, 0)
	if errors.Is(err, fs.ErrPermission) { // flock needs no write permission
		f, err = os.OpenFile(path, os.O_RDONLY|safe, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if dir == os.Getenv(RuntimeVariable) {
			if err := OwnFolder(dir); err != nil {
				return nil, err
			}
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|safe, 0o666)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			return openLock(dir)
		}
		if err == nil {
			f.Chmod(0o666) // whatever the umask
		}
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 {
		f.Close()
		return nil, fmt.Errorf("%s is not a regular file with a single link; remove it", path)
	}
	return f, nil
}

// LockFolder keeps other dynos from writing into the run folder dir until release is called. On a
// file system without flock it locks nothing.
func LockFolder(dir string) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock the run folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("another dyno is writing into the run folder %s", dir)
	}
	return func() { f.Close() }, nil
}

// KeepFilesPrivate marks the files that this process has inherited, other than standard input,
// output and error, so that programs started by it do not inherit them.
func KeepFilesPrivate() {
	list, _ := os.ReadDir("/proc/self/fd")
	for _, e := range list {
		var fd int
		if n, _ := fmt.Sscan(e.Name(), &fd); n == 1 && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
