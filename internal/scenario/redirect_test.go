package scenario

import "testing"

// TestRedirect: a redirected request carries the present cookies, and no content if it becomes a GET.
func TestRedirect(t *testing.T) {
	r := post("{int:7..7}")
	r.Path = "/a"
	r.Headers = get("/", "Content-Type", "text/plain", "Cookie", "own=1", "X", "2").Headers
	src := source1(t, Options{Cookies: true}, r)
	var d Draw
	var w Want
	var x Sent
	src.Draw(&d, &w)
	first, tail := d.Keep(&x, []byte("before"))
	if got := string(x.Append(nil)); "before"+got != string(first)+tail || x.Method() != "POST" || x.Target() != "/a" {
		t.Errorf("kept %q of %q%q", got, first, tail)
	}
	src.Learn([]byte("Set-Cookie: b=2; Path=/c\r\nSet-Cookie: c=3\r\n"), 1, &w)
	for _, c := range []struct {
		target string
		bare   bool
		want   string
	}{
		{"/c/d?e", false, "POST /c/d?e HTTP/1.1\r\nHost: h:1\r\nContent-Type: text/plain\r\n" +
			"Cookie: own=1; b=2; c=3\r\nX: 2\r\nContent-Length: 1\r\n\r\n7"},
		{"/c/d", false, "POST /c/d HTTP/1.1\r\nHost: h:1\r\nContent-Type: text/plain\r\nCookie: own=1; b=2; c=3\r\n" +
			"X: 2\r\nContent-Length: 1\r\n\r\n7"},
		{"/z", true, "GET /z HTTP/1.1\r\nHost: h:1\r\nCookie: own=1; c=3\r\nX: 2\r\n\r\n"},
	} {
		src.Redirect(&x, &w, c.target, c.bare)
		if got := string(x.Append(nil)); got != c.want || x.Size() != len(got) || x.Host() != "h:1" {
			t.Errorf("%q\nwant %q; host %q", got, c.want, x.Host())
		}
	}
	var plain Sent
	src = source1(t, Options{}, get("/a", "Host", "other"))
	src.Draw(&d, &w)
	d.Keep(&plain, nil)
	src.Redirect(&plain, &w, "/b", false)
	if got := string(plain.Append(nil)); got != "GET /b HTTP/1.1\r\nHost: other\r\n\r\n" || plain.Host() != "other" {
		t.Errorf("%q", got)
	}
}
