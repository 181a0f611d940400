package machine

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// children are the processes that this process starts and waits for itself. It is a subreaper
// (prctl(2), PR_SET_CHILD_SUBREAPER): any other child came from a tree and lost its parent.
var children = &brood{pids: map[int]bool{}, trees: map[*Process]bool{}, before: map[int]uint64{}}

type brood struct {
	mu     sync.Mutex
	pids   map[int]bool      // started and not waited for yet
	trees  map[*Process]bool // started and not stopped yet
	before map[int]uint64    // start times of the children that this process had before it became a subreaper
	adopt  sync.Once
}

// start runs f, which starts a process, and registers the process before orphans can list it.
func (b *brood) start(f func() (pid int, err error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.adopt.Do(b.subreap)
	pid, err := f()
	if err == nil {
		b.pids[pid] = true
	}
	return err
}

// subreap makes this process a subreaper. It first notes the existing children: if a shell executed
// dyno in its own place, the shell's jobs are not orphans.
func (b *brood) subreap() {
	all, _ := processes()
	for _, s := range all {
		if s.parent == os.Getpid() {
			b.before[s.pid] = s.started
		}
	}
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // since Linux 3.4; else init adopts
}

// ended removes a child that was waited for.
func (b *brood) ended(pid int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pids, pid)
}

// tree adds p to the running trees, or removes p.
func (b *brood) tree(p *Process, living bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if living {
		b.trees[p] = true
	} else {
		delete(b.trees, p)
	}
}

// orphans returns the living processes that this process has adopted, and reaps the dead ones. sole
// is the only running tree, nil if there are several: an orphan without other marks belongs to
// sole.
//
// Note: processes that os/exec starts elsewhere in this program stay in this program's process
// group, which processes of a tree never join.
func (b *brood) orphans(all []stat) (living []stat, sole *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	self, group := os.Getpid(), unix.Getpgrp()
	for _, s := range all {
		switch {
		case s.parent != self || s.group == group || b.pids[s.pid] || b.before[s.pid] == s.started:
		case s.dead():
			unix.Wait4(s.pid, nil, unix.WNOHANG, nil)
		default:
			living = append(living, s)
		}
	}
	if len(b.trees) == 1 {
		for p := range b.trees {
			sole = p
		}
	}
	return living, sole
}

// endStrays kills the orphans that remain when all trees have been stopped.
func endStrays() error {
	for deadline := time.Now().Add(killTimeout); ; time.Sleep(time.Millisecond) {
		all, err := processes()
		if err != nil {
			return err
		}
		living, _ := children.orphans(all)
		if len(living) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("end orphans: processes %v still run %v after SIGKILL", pids(living), killTimeout)
		}
		for _, s := range living {
			unix.Kill(s.pid, unix.SIGKILL)
		}
	}
}
