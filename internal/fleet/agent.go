package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// Agent carries out orders on its machine.
type Agent struct {
	Bundle  *Bundle
	Version string       // dyno's version
	Log     func(string) // called for each refused order and each change of the connection
	Role    Role         // allowed by the machine's owner; "": Generator

	began time.Time // origin of the agent's clock

	// For tests; the zero values mean a real agent.
	dial  dial                // dials the controller; nil: dialNATS
	site  site                // nil: ownSite
	skew  int64               // ns by which the clock is ahead
	drift float64             // share by which the clock is faster
	delay time.Duration       // delay of windows' beginnings
	spin  func(time.Duration) // waits for a short time; nil: poll the clock
}

// Run serves the controller, whenever there is one, until ctx is done. If the controller refuses the agent's
// key, Run returns an error; all other failures are temporary.
func (a *Agent) Run(ctx context.Context) error {
	a.began = time.Now()
	if a.site == nil {
		a.site = ownSite{}
	}
	if a.dial == nil {
		a.dial = dialNATS
	}
	last := ""
	for ctx.Err() == nil {
		err := a.session(ctx)
		switch {
		case errors.Is(err, errUnknown):
			return fmt.Errorf("the controller at %s does not know the key of %s; copy the agent's file from the "+
				"controller's folder again", a.Bundle.Controller, a.Bundle.Name)
		case err != nil && err.Error() != last:
			last = err.Error()
			a.Log(fmt.Sprintf("no controller at %s yet: %v", a.Bundle.Controller, err))
		case err == nil:
			last = ""
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
	return nil
}

// session serves one connection to the controller until it ends. Nothing started in the session survives it.
func (a *Agent) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	link, err := a.dial(ctx, a.Bundle, cancel)
	if err != nil {
		return err
	}
	defer link.close()
	s := &session{agent: a, ctx: ctx, link: link, id: token(), turn: make(chan struct{}, 1)}
	if err := link.orders(s.receive); err != nil {
		return err
	}
	a.Log("connected to the controller at " + a.Bundle.Controller)
	<-ctx.Done()
	link.close()
	s.turn <- struct{}{} // no order begins from here on
	s.release()
	a.Log("the controller is gone; nothing runs here, and the agent waits for it")
	return nil
}

// now returns the agent's clock: ns since the agent began, monotonic.
func (a *Agent) now() int64 {
	ns := int64(time.Since(a.began))
	return ns + int64(float64(ns)*a.drift) + a.skew
}

// session is one connection between an agent and its controller.
type session struct {
	agent   *Agent
	ctx     context.Context // ends with the connection
	link    link
	id      string        // named in orders
	arrived int64         // arrival of the last order, agent's clock; owned by the receiving goroutine
	turn    chan struct{} // full while an order is received, and once the session has ended
	kept
}

// kind names a kind of order with body Q and answer A.
type kind[Q, A any] string

// handlers has a handler for each kind of order.
var handlers = map[string]handler{}

// Orders; the second group may run concurrently with other orders.
var (
	hello      = handle("hello", every, false, (*session).hello)
	clock      = handle("clock", every, false, (*session).clock)
	toWatch    = handle("watch", every, false, (*session).watch)
	toUnwatch  = handle("unwatch", every, false, (*session).unwatch)
	toLeave    = handle("leave", every, false, (*session).leave)
	toServer   = handle("server", starts, false, (*session).server)
	toGenerate = handle("generate", generates, false, (*session).generate)
	toCPU      = handle("cpu", generates, false, (*session).cpu)
	toShut     = handle("shut", generates, false, (*session).shut)
	toTake     = handle("take", starts, false, (*session).take)

	toOpen   = handle("open", generates, true, (*session).open)
	toLoad   = handle("load", generates, true, (*session).loadWindow)
	toAsk    = handle("ask", generates, true, (*session).askServer)
	toHost   = handle("host", starts, true, (*session).host)
	toBuild  = handle("build", starts, true, (*session).build)
	toLaunch = handle("launch", starts, true, (*session).launch)
)

// handler carries out one kind of order.
type handler struct {
	roles  []Role // an agent needs one of these; empty: none needed
	do     func(*session, []byte) (any, error)
	beside bool // may run concurrently with other orders
}

// handle registers f for a kind of order.
func handle[Q, A any](name string, roles []Role, beside bool, f func(*session, *Q) (A, error)) kind[Q, A] {
	handlers[name] = handler{roles, func(s *session, body []byte) (any, error) {
		q := new(Q)
		if err := strict(body, q); err != nil {
			return nil, unfit{fmt.Errorf("the order's body: %w", err)}
		}
		return f(s, q)
	}, beside}
	return kind[Q, A](name)
}

// receive carries out an order and sends the answer.
func (s *session) receive(r *received) {
	s.arrived = s.agent.now()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-s.ctx.Done():
		return
	}
	var o Order
	h, err := handler{}, strict(r.data, &o)
	if err == nil {
		h, err = s.accept(&o)
	}
	do := func() {
		answer, err := h.do(s, o.Body)
		s.reply(r, s.said(answer, err))
	}
	switch {
	case err != nil:
		s.reply(r, s.said(nil, unfit{err}))
	case h.beside:
		s.working.Go(do)
	default:
		do()
	}
}

// accept returns the handler for an order, or an error if the order must not be carried out.
func (s *session) accept(o *Order) (h handler, err error) {
	switch own := protocol + s.agent.Version; {
	case o.Version != own:
		return h, fmt.Errorf("the controller has version %q, this agent %q; run dyno fleet up, or copy the "+
			"controller's dyno here", o.Version, own)
	case o.Kind != string(hello) && o.Session != s.id:
		return h, errSession
	}
	h, known := handlers[o.Kind]
	if !known {
		return h, fmt.Errorf("unknown kind of order %q", o.Kind)
	}
	return h, s.agent.may(o.Kind, h.roles)
}

// said encodes the result of an order as an answer.
func (s *session) said(answer any, err error) []byte {
	body, bad := json.Marshal(answer)
	if err = cmp.Or(err, bad); len(body) > mostBytes/2 {
		body, err = nil, fmt.Errorf("the result takes %d MB, more than can be sent", len(body)>>20)
	}
	if err == nil {
		return encoded(Answer{Body: body})
	}
	f := faultOf(err)
	if f.Refused {
		s.agent.Log("refused an order: " + f.Text)
		body = nil
	}
	return encoded(Answer{body, f})
}

// reply sends an answer, unless the session has ended: its controller then has no use for it.
func (s *session) reply(r *received, data []byte) {
	if s.ctx.Err() != nil {
		return
	}
	if err := r.answer(data); err != nil && s.ctx.Err() == nil {
		s.agent.Log("answer an order: " + err.Error())
	}
}

// encoded returns v, a struct of plain values, as JSON.
func encoded(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a field that JSON cannot encode
	}
	return data
}

// Hello is an agent's answer to a greeting: the agent's program, and the session for its next orders.
type Hello struct {
	Session string `json:"session"`
	Role    Role   `json:"role"`   // allowed by the machine's owner
	Client  string `json:"client"` // the agent's connection
	Program
}

// Program is a build of dyno.
type Program struct {
	System string `json:"system"` // for example "linux/amd64"
	Digest string `json:"digest"` // SHA-256 of the file, in hex
}

func (s *session) hello(*Done) (Hello, error) {
	p, err := program()
	return Hello{s.id, s.agent.role(), s.link.client(), p}, err
}

// program returns this program; it reads the file once.
var program = sync.OnceValues(func() (Program, error) {
	p := Program{System: runtime.GOOS + "/" + runtime.GOARCH}
	data, err := os.ReadFile(programFile)
	p.Digest = digest(data)
	return p, err
})

// programFile is this program's file, even if its path has another program by now.
const programFile = "/proc/self/exe"
