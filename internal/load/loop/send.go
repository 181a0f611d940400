package loop

import "syscall"

// take claims the right to start one request on c, and returns when the request was due. In a
// closed loop that is now.
func (w *worker) take(c *conn, now int64) (due int64, ok bool) {
	switch {
	case !w.open:
		return 0, false
	case w.scheduled: // a request due before the deadline may start a little after it
		if !w.more || w.due > now {
			return 0, false
		}
		due = w.due
		if w.free.n == 0 { // due requests may have waited for a connection
			waited := max(now-max(due, w.starving), 0)
			w.rec.StarvedNS += waited
			if w.win.free.Load() > 0 {
				w.rec.UnevenNS += waited
			}
			w.starving = now
		}
		w.issued++
		w.draw()
		return due, true
	// a thread that got its CPU too late still gets one request: otherwise it would have none
	// without anyone's fault
	case now >= w.deadline && w.started:
		w.open = false
		return 0, false
	case w.win.Requests > 0:
		left := w.win.left.Add(-1)
		if left < 0 {
			w.open = false
			return 0, false
		}
		if left == 0 {
			w.win.edge.Over(now)
		}
	}
	w.started = true
	return now, true
}

// fill sends as many requests as c's pipeline has room for, in one write, or in one write for each
// long body.
func (w *worker) fill(c *conn, now int64) {
	switch {
	case c.state == isDown && w.job.PerConnection > 0 && c.begun && !c.claimed:
		if due, ok := w.take(c, now); ok {
			c.claimed, c.claim = true, due
			w.pending++
			w.rec.Late(due, now)
			w.dial(c, now)
		} else {
			w.park(c)
		}
		return
	case c.state != isUp || !c.begun || c.owes():
		return
	}
	for {
		b, tail := w.pack(c, now)
		if len(b) == 0 {
			return
		}
		written, errno := c.write(b, tail)
		w.rec.BytesWritten += int64(written)
		switch {
		case errno == syscall.EAGAIN:
			w.watchOut(c, true)
			return
		case errno != 0:
			w.unwritable(c, errno)
			return
		case tail == "" && !c.http.Owes():
			return
		}
		now = w.now()
	}
}

// pack renders as many requests as c's pipeline has room for, up to the first with a long body,
// which becomes tail. It returns the bytes before that, in w.out.
func (w *worker) pack(c *conn, now int64) (b []byte, tail string) {
	n := 0
	b = w.out[:0]
	if c.http.Owes() {
		b = w.owed(c, b)
	}
	for tail == "" && c.http.Room(w.depth) > 0 && c.budget != 0 {
		due := c.claim
		if c.claimed {
			c.claimed = false
			w.pending--
		} else {
			var ok bool
			if due, ok = w.take(c, now); !ok {
				w.park(c)
				break
			}
			if w.paced {
				w.rec.Late(due, now)
			}
		}
		b, tail = c.http.Ask(b, due, now)
		c.budget--
		n++
	}
	if w.out = b; n == 0 {
		return b, ""
	}
	c.carried = true
	w.pending += n
	w.rec.Sent(n, now)
	return b, tail
}

// reply sends the data that c's protocol owes the server besides requests.
func (w *worker) reply(c *conn) {
	for c.state == isUp && c.http.Owes() && !c.owes() {
		w.out = w.owed(c, w.out[:0])
		written, errno := c.write(w.out, "")
		w.rec.BytesWritten += int64(written)
		switch errno {
		case 0:
		case syscall.EAGAIN:
			w.watchOut(c, true)
		default:
			w.unwritable(c, errno)
			return
		}
	}
}

// owed appends the data that c's protocol owes the server.
func (w *worker) owed(c *conn, b []byte) []byte {
	b, again := c.http.Out(b)
	w.rec.SentAgain += int64(again)
	return b
}

// unwritable gives up c, whose peer has closed the connection. It reads first: a server may answer
// and close before it has read the whole request.
func (w *worker) unwritable(c *conn, err error) {
	c.failed = err
	w.read(c, true)
}

// flush continues a short write, and then sends the data that had to wait for it.
func (w *worker) flush(c *conn) {
	written, errno := c.stream.flush()
	w.rec.BytesWritten += int64(written)
	switch errno {
	case 0:
		w.watchOut(c, false)
		w.goOn(c, w.now())
	case syscall.EAGAIN:
	default:
		w.unwritable(c, errno)
	}
}
