package loader

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"dyno/internal/summary"
)

// serveMetrics serves m at http://addr/metrics until stop is called. at is addr with the port that was
// chosen, if that of addr is 0.
func serveMetrics(addr string, m *summary.Metrics) (at string, stop func() error, err error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("--metrics: %w; pass another address, such as 127.0.0.1:9100", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.Write(w)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(ln)
	}()
	return ln.Addr().String(), func() error {
		err := server.Close()
		<-done
		return err
	}, nil
}
