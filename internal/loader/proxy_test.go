package loader

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/adhoc"
	"dyno/internal/endpoint"
)

// proxy is an HTTP proxy that counts what it is asked for.
type proxy struct {
	asked, tunnels atomic.Int64
	refuses        atomic.Bool
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect && p.refuses.Load():
		http.Error(w, "no", http.StatusForbidden)
	case r.Method == http.MethodConnect:
		p.tunnels.Add(1)
		p.tunnel(w, r)
	case r.URL.IsAbs():
		p.asked.Add(1)
		r.RequestURI = ""
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	default:
		http.Error(w, "no proxy's request", http.StatusBadRequest)
	}
}

// tunnel connects the client with the server that it names.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	server, err := net.Dial("tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	fmt.Fprint(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		io.Copy(server, buf)
		server.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(client, server)
}

// TestProxyHTTP2: HTTP/2 over TLS goes through a tunnel, and one that is refused says so before the load.
func TestProxyHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	for _, engine := range []string{"gonet", DefaultEngine()} {
		var p proxy
		by := httptest.NewServer(&p)
		defer by.Close()
		r := Request{URL: s.URL, Requests: 12, Connections: 2, Streams: 3, HTTP2: true, Engine: engine,
			Timeout: time.Minute, Proxy: by.URL, TLS: endpoint.TLS{Insecure: true},
			Request: adhoc.Request{ExpectBody: text("HTTP/2.0")}}
		plan, err := New(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := plan.Run(t.Context(), &Files{}, nil)
		if n := p.tunnels.Load(); err != nil || sum.Load.Succeeded != 12 || n != 3 { // one of them before the load
			t.Errorf("%s: %+v by %d tunnels, %v", engine, sum, n, err)
		}
		p.refuses.Store(true)
		_, err = New(t.Context(), r)
		if err == nil || !strings.HasSuffix(err.Error(),
			": it answered CONNECT "+s.Listener.Addr().String()+" with status 403 Forbidden") {
			t.Errorf("%s, refused: %v", engine, err)
		}
	}
}

// TestProxy: requests in the clear reach the server by their absolute form, with redirects and cookies,
// encrypted ones through a tunnel for each connection; one that is refused says so.
func TestProxy(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("n"); r.URL.Path == "/a" || err != nil || c.Value != "1" {
			http.SetCookie(w, &http.Cookie{Name: "n", Value: "1", Path: "/"})
			http.Redirect(w, r, "/b", http.StatusFound)
			return
		}
		io.WriteString(w, "value")
	})
	clear, encrypted := httptest.NewServer(h), httptest.NewTLSServer(h)
	defer clear.Close()
	defer encrypted.Close()
	for _, engine := range []string{"gonet", DefaultEngine()} {
		for _, url := range []string{clear.URL, encrypted.URL} {
			var p proxy
			by := httptest.NewServer(&p)
			defer by.Close()
			r := Request{Requests: 12, Connections: 2, Engine: engine, Timeout: time.Minute, Proxy: by.URL, Follow: 2,
				Cookies: true, Request: adhoc.Request{ExpectBody: text("value")}}
			if r.URL = url + "/a"; url == encrypted.URL {
				r.TLS = endpoint.TLS{Insecure: true}
			}
			plan, err := New(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			s, err := plan.Run(t.Context(), &Files{}, nil)
			if err != nil || s.Load.Succeeded != 12 || s.Load.Redirects != 12 ||
				!strings.Contains(s.Target, " by proxy ") {
				t.Fatalf("%s, %s: %+v, %v", engine, url, s, err)
			}
			if a, n := p.asked.Load(), p.tunnels.Load(); url == clear.URL && (a != 24 || n > 0) ||
				url == encrypted.URL && (a > 0 || n != 2) {
				t.Errorf("%s, %s: the proxy was asked for %d requests and %d tunnels", engine, url, a, n)
			}
			p.refuses.Store(true)
			if plan, err = New(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			_, err = plan.Run(t.Context(), &Files{}, nil)
			why := fmt.Sprintf("proxy %s: it answered CONNECT %s with status 403 Forbidden", by.Listener.Addr(),
				encrypted.Listener.Addr())
			if refused := err != nil && strings.Contains(err.Error(), why); refused != (url == encrypted.URL) {
				t.Errorf("%s, %s, refused: %v", engine, url, err)
			}
		}
	}
}
