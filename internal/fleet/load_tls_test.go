package fleet

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dyno/internal/loader"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// asked records the requests that a server saw.
type asked struct {
	mu   sync.Mutex
	seen map[string]int // by protocol, client's certificate, method, path and body
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	who := "nobody"
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		who = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	a.mu.Lock()
	a.seen[strings.Join([]string{r.Proto, who, r.Method, r.URL.Path, string(body)}, " ")]++
	a.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain")
	w.Write([]byte("value\xff"))
}

func (a *asked) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = map[string]int{}
}

// files writes files to a new folder, and returns the folder.
func files(t *testing.T, all map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEncryptedLoadBySeveral: generators speak TLS, and HTTP/2 with and without TLS, with a client
// certificate, whose files no longer exist when they connect.
func TestEncryptedLoadBySeveral(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	id, err := wire.NewIdentity(filepath.Join(t.TempDir(), "client"))
	if err != nil {
		t.Fatal(err)
	}
	cert, err := os.ReadFile(id.Cert)
	if err != nil {
		t.Fatal(err)
	}
	of := func(url string, change func(*loader.Request)) loader.Request {
		r := loader.Request{URL: url, Requests: 40, Connections: 4, Seed: 1}
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		secure bool
		change func(*loader.Request)
		want   string
	}{
		"https":        {true, func(*loader.Request) {}, "HTTP/1.1 dyno, for one run GET / "},
		"h2":           {true, func(r *loader.Request) { r.HTTP, r.Streams = new(wire.H2), 2 }, "HTTP/2.0 dyno, for one run GET / "},
		"h2c":          {false, func(r *loader.Request) { r.HTTP = new(wire.H2C) }, "HTTP/2.0 nobody GET / "},
		"in the clear": {false, func(*loader.Request) {}, "HTTP/1.1 nobody GET / "},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asked{seen: map[string]int{}}
			s := httptest.NewUnstartedServer(a)
			s.EnableHTTP2 = true
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetHTTP2(true)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			if c.secure {
				s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
				s.StartTLS()
			} else {
				s.Start()
			}
			t.Cleanup(s.Close)
			dir := ""
			r := of(s.URL, func(r *loader.Request) {
				if c.secure {
					ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
					key, err := os.ReadFile(id.Key)
					if err != nil {
						t.Fatal(err)
					}
					dir = files(t, map[string]string{"ca.pem": string(ca), "cert.pem": string(cert), "key.pem": string(key)})
					r.TLS = wire.TLS{CA: dir + "/ca.pem", Cert: dir + "/cert.pem", Key: dir + "/key.pem"}
				}
				c.change(r)
			})
			plan := packed(t, r)
			if dir != "" {
				if err := os.RemoveAll(dir); err != nil { // agents have other disks
					t.Fatal(err)
				}
			}
			sum := b.punctualPlan(t, plan, a.forget)
			if sum.Load.Succeeded != 40 || len(sum.Generators) != 2 || c.secure != (len(sum.Load.TLS) > 0) {
				t.Errorf("%+v", sum.Load)
			}
			// a load that began late may end later than the next one begins
			if len(a.seen) != 1 || a.seen[c.want] < 40 {
				t.Errorf("%v; want 40 of %q", a.seen, c.want)
			}
		})
	}
}

// TestFilesAreSent: requests and expectations may be in the controller's files.
func TestFilesAreSent(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	a := &asked{seen: map[string]int{}}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	dir := files(t, map[string]string{
		"body.bin": "\x00\xfe\xff", "want.bin": "value\xff",
		"mix/scenarios/mix.toml": "name = \"mix\"\ntitle = \"a mix\"\n[[request]]\nname = \"one\"\n" +
			"method = \"GET\"\npath = \"/one\"\n[request.expect]\nstatus = 200\nbody_file = \"want.txt\"\n",
		"mix/scenarios/want.txt": "value\xff"})
	text := func(s string) *string { return &s }
	plans, wants := map[string]loader.Request{}, map[string][]string{
		"a body":   {"HTTP/1.1 nobody POST / \x00\xfe\xff"},
		"of -b":    {"HTTP/1.1 nobody PATCH / \x00\xfe\xff"},
		"scenario": {"HTTP/1.1 nobody GET /one "},
		"expected": {"HTTP/1.1 nobody GET / "},
	}
	for name, r := range map[string]loader.Request{
		"a body":   {URL: s.URL, AdHoc: scenario.AdHoc{BodyFile: dir + "/body.bin"}},
		"of -b":    {URL: s.URL, AdHoc: scenario.AdHoc{Body: text("@" + dir + "/body.bin"), Method: "PATCH"}},
		"scenario": {URL: s.URL, AdHoc: scenario.AdHoc{Scenario: dir + "/mix/scenarios/mix.toml"}},
		"expected": {URL: s.URL, AdHoc: scenario.AdHoc{ExpectBody: text("@" + dir + "/want.bin")}},
	} {
		r.Requests, r.Connections, r.Seed = 40, 4, 1
		plans[name] = packed(t, r)
		var arrived loader.Request
		if err := strict(encoded(plans[name]), &arrived); err != nil ||
			string(encoded(arrived)) != string(encoded(plans[name])) {
			t.Errorf("%s: %v\n%s\n%s", name, err, encoded(plans[name]), encoded(arrived))
		}
	}
	large := files(t, map[string]string{"x": strings.Repeat("x", mostOrder)}) + "/x"
	if _, err := Pack(t.Context(), loader.Request{URL: s.URL, AdHoc: scenario.AdHoc{BodyFile: large}}); err == nil ||
		!strings.Contains(err.Error(), "at most 4 MB can be sent to other machines") {
		t.Error(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, plan := range plans {
		sum := b.punctualPlan(t, plan, a.forget)
		if sum.Load.Succeeded != 40 || sum.Load.Failed > 0 {
			t.Errorf("%s: %+v", name, sum.Load)
		}
		n := 0
		for _, want := range wants[name] {
			n += a.seen[want]
			if a.seen[want] == 0 {
				t.Errorf("%s: %v; no %q", name, a.seen, want)
			}
		}
		if n < 40 {
			t.Errorf("%s: %v", name, a.seen)
		}
	}
}

// TestFilesOfAnAgent: an order that lacks its files is refused, rather than read from the agent's disk.
func TestFilesOfAnAgent(t *testing.T) {
	b := gathered(t, "gen1")
	url, n := counting(t)
	bare := packed(t, loader.Request{URL: url})
	bare.Made = nil
	named := packed(t, loader.Request{URL: "https" + strings.TrimPrefix(url, "http")})
	named.TLS.CA, named.TLS.Held = "/etc/hostname", nil
	unix := packed(t, loader.Request{URL: url})
	unix.Unix = "/run/some.sock"
	for name, p := range map[string]loader.Request{"no requests": bare, "a name of a file": named, "a socket": unix} {
		if a := b.send(t, "gen1", b.order("gen1", string(toOpen), Loading{Request: &p})); !a.refused("") || n.Load() > 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	held := packed(t, loader.Request{URL: "https" + strings.TrimPrefix(url, "http")})
	held.TLS.CA, held.TLS.Held = "/etc/hostname", map[string][]byte{}
	if _, err := held.TLS.Config("a"); err == nil || !strings.Contains(err.Error(), "is not held") {
		t.Error(err)
	}
}
