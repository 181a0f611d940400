package fleet

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// weather describes a network's effect on messages in one direction.
type weather struct {
	held   float64       // probability that a message is held
	jitter time.Duration // largest additional delay
	hold   time.Duration // largest delay of a held message: later ones overtake it
	each   time.Duration // delay per byte
}

// way is one direction of a link. The fate of its k-th message depends on the seed alone.
type way struct {
	mu    sync.Mutex
	rng   *rand.Rand
	w     weather
	least time.Duration
	cut   bool      // no message arrives any more
	until time.Time // no message arrives earlier: TCP retransmits
}

// send calls arrive with a message when it arrives, unless the link ends first.
func (w *way) send(data []byte, arrive func([]byte)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	after := w.least + time.Duration(len(data))*w.w.each
	if w.w.jitter > 0 {
		after += time.Duration(w.rng.Int64N(int64(w.w.jitter)))
	}
	if w.rng.Float64() < w.w.held {
		after += time.Duration(w.rng.Int64N(int64(w.w.hold)))
	}
	time.AfterFunc(after, func() { w.arrived(data, arrive) })
}

func (w *way) arrived(data []byte, arrive func([]byte)) {
	w.mu.Lock()
	cut, left := w.cut, time.Until(w.until)
	w.mu.Unlock()
	switch {
	case cut:
	case left > 0:
		time.AfterFunc(left, func() { w.arrived(data, arrive) })
	default:
		arrive(data)
	}
}

// stall delays all messages for some time.
func (w *way) stall(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = time.Now().Add(d)
}

// shut drops all further messages.
func (w *way) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
}

// network connects one controller at a time with its agents.
type network struct {
	mu      sync.Mutex
	seed    uint64
	weather weather
	number  uint64 // number of the last connection
	center  *simCenter
}

// open starts a controller.
func (n *network) open() *simCenter {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.center = &simCenter{net: n, links: map[string]*simLink{}}
	return n.center
}

// controller returns the controller, or nil.
func (n *network) controller() *simCenter {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.center
}

// dial connects an agent if there is a controller.
func (n *network) dial(_ context.Context, b *Bundle, lost func()) (link, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.center == nil {
		return nil, errors.New("nothing answers there")
	}
	n.number++
	l := &simLink{center: n.center, name: b.Name, number: n.number, lost: lost, in: make(chan *received, 10_000),
		ended: make(chan struct{})}
	// The directions differ, so that neither takes half of a round trip.
	for i, w := range []*way{&l.down, &l.up} {
		rng := rand.New(rand.NewPCG(n.seed, n.number<<8|uint64(i)))
		w.rng, w.w = rng, n.weather
		w.least = time.Duration(rng.Int64N(int64(4 * time.Millisecond)))
	}
	n.center.mu.Lock()
	defer n.center.mu.Unlock()
	n.center.links[b.Name] = l
	return l, nil
}

// simCenter is the controller's end of a network.
type simCenter struct {
	net *network

	mu    sync.Mutex
	links map[string]*simLink
}

func (c *simCenter) link(agent string) *simLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.links[agent]
}

func (c *simCenter) ask(ctx context.Context, agent string, order []byte) ([]byte, error) {
	l := c.link(agent)
	if l == nil {
		return nil, errAbsent
	}
	answers := make(chan []byte, 1)
	l.down.send(order, func(data []byte) {
		l.in <- &received{data, func(answer []byte) error {
			l.up.send(answer, func(data []byte) {
				select {
				case answers <- data:
				default:
				}
			})
			return nil
		}}
	})
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *simCenter) left(_, client string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.links {
		if l.client() == client {
			return false
		}
	}
	return true
}

// close ends the controller with all its connections.
func (c *simCenter) close() {
	c.net.mu.Lock()
	if c.net.center == c {
		c.net.center = nil
	}
	c.net.mu.Unlock()
	for _, l := range c.all() {
		l.close()
	}
}

// vanish ends the controller like a killed process or a removed cable: agents notice within 8 s.
func (c *simCenter) vanish(rng *rand.Rand) {
	c.net.mu.Lock()
	c.net.center = nil
	c.net.mu.Unlock()
	for _, l := range c.all() {
		l.end(time.Duration(rng.Int64N(int64(8*time.Second))), 0)
	}
}

func (c *simCenter) all() (links []*simLink) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.links {
		links = append(links, l)
	}
	return links
}

// simLink is an agent's connection.
type simLink struct {
	center   *simCenter
	name     string
	number   uint64
	lost     func()
	down, up way
	in       chan *received
	once     sync.Once
	ended    chan struct{}
}

func (l *simLink) orders(receive func(*received)) error {
	go func() {
		for {
			select {
			case r := <-l.in:
				receive(r)
			case <-l.ended:
				return
			}
		}
	}()
	return nil
}

func (l *simLink) client() string { return connection("sim", l.number) }

// close ends the connection for both sides.
func (l *simLink) close() { l.end(0, 0) }

// end drops all further messages. The agent and the controller notice after different times.
func (l *simLink) end(agent, controller time.Duration) {
	l.down.shut()
	l.up.shut()
	forget := func() {
		l.center.mu.Lock()
		defer l.center.mu.Unlock()
		if l.center.links[l.name] == l {
			delete(l.center.links, l.name)
		}
	}
	see := func() { l.once.Do(func() { close(l.ended); go l.lost() }) }
	if controller == 0 {
		forget()
	} else {
		time.AfterFunc(controller, forget)
	}
	if agent == 0 {
		see()
	} else {
		time.AfterFunc(agent, see)
	}
}
