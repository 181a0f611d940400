package refserver

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// fetched caches the backend's responses by path for one connection: a trial has its own connections, and the
// backend's records change between trials only.
type fetched struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

type fetchedKey struct{}

// withFetched gives each connection of an http.Server a cache.
func withFetched(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, fetchedKey{}, &fetched{bodies: map[string][]byte{}})
}

// relayed returns the backend's response for path.
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
