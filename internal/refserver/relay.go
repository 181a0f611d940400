package refserver

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// fetchedKey is the key of a connection's sync.Map with the service's responses by path: a trial has its own
// connections, and the service's records change between trials only.
type fetchedKey struct{}

// withFetched gives each connection of an http.Server a cache.
func withFetched(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, fetchedKey{}, new(sync.Map))
}

// relayed returns the service's response for path.
func (r *Reference) relayed(req *http.Request, path string) ([]byte, error) {
	fetched, _ := req.Context().Value(fetchedKey{}).(*sync.Map)
	if fetched == nil {
		return r.Ask(path)
	}
	if b, ok := fetched.Load(path); ok {
		return b.([]byte), nil
	}
	b, err := r.Ask(path)
	if err == nil {
		fetched.Store(path, b)
	}
	return b, err
}
