package refserver

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// fetched is what the backend answered by path, asked for once per connection: a trial has
// connections of its own, and the backend's records change between trials only.
type fetched struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

type fetchedKey struct{}

// withFetched gives each connection of an http.Server a cache of its own.
func withFetched(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, fetchedKey{}, &fetched{bodies: map[string][]byte{}})
}

// relayed returns the response of the backend for path.
func (r *Reference) relayed(req *http.Request, path string) ([]byte, error) {
	f, _ := req.Context().Value(fetchedKey{}).(*fetched)
	if f == nil {
		return r.Ask(path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := f.bodies[path]; b != nil {
		return b, nil
	}
	b, err := r.Ask(path)
	f.bodies[path] = b
	return b, err
}
