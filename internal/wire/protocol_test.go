package wire

import "testing"

func TestParse(t *testing.T) {
	for _, h := range Protocols {
		got, err := ParseHTTP(h.String())
		if err != nil || got != h || !h.Valid() || h.Words() == "" || h.Listener() == "" {
			t.Errorf("%q: %q, %v", h, got, err)
		}
		if h.TLS() != (h.ALPN() != "") {
			t.Errorf("%s: ALPN %q is of TLS alone", h, h.ALPN())
		}
	}
	const want = `"http2" is no protocol; want http, https, h2 or h2c`
	for _, name := range []string{"", "HTTP", "h3", "http2"} {
		if h, err := ParseHTTP(name); err == nil || name == "http2" && err.Error() != want {
			t.Errorf("%q: %q, %v", name, h, err)
		}
	}
	if HTTP("http").Valid() {
		t.Error(`"http" is written as "": two values of one meaning`)
	}
}

func TestListeners(t *testing.T) {
	for _, c := range []struct {
		forms []HTTP
		want  int
	}{{nil, 1}, {[]HTTP{Clear}, 1}, {[]HTTP{H2, HTTPS}, 2}, {Protocols, 3}} {
		if l := Listeners(c.forms); len(l) != c.want || l[0] != AtClear {
			t.Errorf("%q: %q", c.forms, l)
		}
	}
}
