package loop

import (
	"fmt"
	"syscall"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// dial starts to connect c. A connect that completes at once, as on a unix socket, makes c ready.
func (w *worker) dial(c *conn, now int64) {
	if c.state != isWaiting || c.dialBy == 0 {
		c.dialBy = now + int64(w.job.ConnectTimeout)
	}
	c.dialled, c.before = now, wire.Socket{}
	pending, err := w.connect(c)
	switch {
	case err == syscall.EAGAIN && now < c.dialBy && w.job.Network == "unix": // its accept queue is full
		c.state, c.retryAt = isWaiting, now
		w.soon(now)
	case err != nil:
		w.undialled(c, err, now)
	case pending:
		c.state = isDialing
		w.soon(now)
	default:
		c.over = false
		if w.link(c); c.state == isUp {
			w.ready = append(w.ready, c.id)
		}
	}
}

// link continues with c, whose socket is connected: to the handshake, if it is encrypted.
func (w *worker) link(c *conn) {
	if c.began = w.now(); w.win == nil {
		w.dials.Came(c.began-c.dialled, c.began)
	}
	if w.job.TLS == nil {
		w.connected(c, c.began)
		return
	}
	c.state = isShaking
	c.encrypt(w.job)
	w.shake(c)
	if c.state == isShaking {
		w.soon(c.began)
	}
}

// shake continues c's handshake with what the peer has sent so far.
func (w *worker) shake(c *conn) {
	c.tls.event(c.over)
	if !c.tls.shake() {
		return
	}
	now := w.now()
	if c.tls.fault != nil {
		w.dialFailed(c, c.tls.fault, now)
		return
	}
	over := c.over
	w.connected(c, now)
	w.read(c, over) // data that came with the handshake's end
}

// connected makes c ready for its first request, and records how long the dial took.
func (w *worker) connected(c *conn, now int64) {
	again := c.http.Held()
	c.state, c.fails, c.dialBy, c.carried = isUp, 0, 0, again > 0
	c.over = false
	w.ups++
	w.refused = 0
	c.rest, c.failed = c.rest[:0], nil
	if c.budget = -1; w.job.PerConnection > 0 {
		c.budget = max(w.job.PerConnection-again, 0)
	}
	took := made{c.began - c.dialled, now - c.began}
	if w.win == nil {
		w.reply(c)
		w.connects = append(w.connects, took)
		return
	}
	if !c.ever {
		c.ever = true
		w.established++
	}
	w.record(took, true)
	if c.tls != nil {
		w.rec.Encrypted(c.tls.with)
		w.rec.BytesRead += c.tls.taken()
		w.rec.BytesWritten += c.tls.out
	}
	if again > 0 {
		w.reply(c)
	}
}

// made is how long a connection took to make: its dial, and its handshake.
type made struct{ connect, handshake int64 }

// record counts a connection that was made; within says that it fell in the window.
func (w *worker) record(took made, within bool) {
	if w.rec.Connect != nil {
		w.rec.Connect.Record(took.connect)
	}
	if w.job.TLS != nil {
		w.rec.Shaken(took.handshake, within)
	}
}

// dialFailed closes the socket after a dial or a handshake that failed or took too long.
func (w *worker) dialFailed(c *conn, err error, now int64) {
	if c.state == isShaking && load.Unconnected(err) == load.Dial {
		err = c.tls.giveUp(err)
	}
	w.count(c)
	c.close()
	w.undialled(c, err, now)
}

// undialled records c's failed dial, with the request that waited for it, and schedules the next
// attempt.
func (w *worker) undialled(c *conn, err error, now int64) {
	kind := load.Unconnected(err)
	if kind == load.Dial {
		err = fmt.Errorf("dial: %w", err)
	}
	if !load.OutOfFiles(w.dialErr) { // that error is kept
		w.dialErr = err
	}
	c.state, c.dialBy = isDown, 0
	if w.win == nil {
		return
	}
	w.say(kind, err)
	if w.refused == 0 {
		w.refused = c.dialled
	}
	switch {
	case c.claimed:
		c.claimed = false
		w.pending--
		w.rec.Sent(1, now)
		w.rec.Broken(kind, c.claim, now, now)
	case c.http.Held() > 0:
		w.lose(c, kind, err, now, true)
	case !w.open:
		return
	default:
		if due, ok := w.take(c, now); ok {
			w.rec.Undial(kind, due, now)
		}
	}
	for w.scheduled && w.ups == 0 { // no due request finds a connection
		due, ok := w.take(c, now)
		if !ok {
			break
		}
		w.rec.Undial(kind, due, now)
	}
	c.fails++
	w.wait(c, now)
}

// wait schedules c's next dial (load.Backoff).
func (w *worker) wait(c *conn, now int64) {
	c.state, c.retryAt = isWaiting, now+int64(load.Backoff(c.fails))
	w.soon(now)
}

// shut closes c's socket and forgets the requests in flight on it, except those to be sent again.
func (w *worker) shut(c *conn) {
	w.count(c)
	c.close()
	if c.state == isUp {
		w.ups--
	}
	c.state, c.dialBy = isDown, 0
	w.pending -= c.http.Pending() - c.http.Held()
	c.http.Reset()
}

// broke counts the requests in flight on c as lost with kind, closes c and dials it again. Requests
// that the server has not processed are then sent again, unless they have waited too long.
func (w *worker) broke(c *conn, kind load.Kind, err error, now int64) {
	if c.failed != nil && (kind == load.Reset || kind == load.Closed) {
		kind, err = load.Write, c.failed
	}
	switch {
	case c.claimed: // the request that waited for this connection was not sent
		c.claimed = false
		w.pending--
		w.rec.Sent(1, now)
		w.rec.Broken(kind, c.claim, now, now)
		w.say(kind, err)
	case c.http.Pending() == 0:
		if w.open && !c.carried { // a server that hangs up at once is not dialled all the time
			if !w.scheduled && c.begun { // after a handshake, before its request
				if due, ok := w.take(c, now); ok {
					w.rec.Undial(kind, due, now)
					w.say(kind, err)
				}
			}
			w.shut(c)
			w.wait(c, now)
			return
		}
	default:
		w.lose(c, kind, err, now, kind == load.Timeout)
	}
	w.again(c, now)
}

// lose counts each request in flight on c as broken; all says that none is sent again.
func (w *worker) lose(c *conn, kind load.Kind, err error, now int64, all bool) {
	n := c.http.Pending()
	if !all {
		n -= c.http.Held()
	}
	for i := range n {
		s := c.http.Slot(i)
		kind, err := c.http.Lost(i, kind, err)
		w.rec.Broken(kind, s.Due, s.Sent, now)
		w.rec.Unanswered(s.Want.Index, s.Due, s.Sent, now)
		w.say(kind, err)
	}
	if all {
		w.pending -= c.http.Forget()
	}
}

// again replaces c's connection if requests may still start or one is sent again: at once, or with
// its next request if each request dials.
func (w *worker) again(c *conn, now int64) {
	w.shut(c)
	if c.http.Held() > 0 {
		w.dial(c, now)
		return
	}
	if !w.open || now >= w.closing {
		return
	}
	if w.job.PerConnection > 0 {
		w.fill(c, now)
	} else {
		w.dial(c, now)
	}
}
