package foreign

import (
	"fmt"
	"testing"
)

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"Authorization: Bearer abc.def":               "Authorization: ***",
		"Cookie: sid=1; theme=dark":                   "Cookie: ***",
		"Proxy-Authorization: Basic eA==":             "Proxy-Authorization: ***",
		"X-Api-Key: k":                                "X-Api-Key: ***",
		"Accept: text/html":                           "Accept: text/html",
		"http://me:pw@h:80/a?x=1&access_token=t#f":    "http://***@h:80/a?x=1&access_token=***",
		"/a?api_key=1&b=2":                            "/a?api_key=***&b=2",
		"DB_PASSWORD=hunter2 PORT=80 node a.js":       "DB_PASSWORD=*** PORT=80 node a.js",
		"SECRET_KEY='a b' ./server --port 80":         "SECRET_KEY='***' ./server --port 80",
		"./server --token abc --name x":               "./server --token *** --name x",
		`./server --auth-token="a b" -v`:              `./server --auth-token="***" -v`,
		`{"user":"me","password":"a\"b","n":1}`:       `{"user":"me","password":"***","n":1}`,
		"user=me&client_secret=x%20y":                 "user=me&client_secret=***",
		"X-Api-Key: @key":                             "X-Api-Key: ***",
		"password=@file":                              "password=@file",
		"./server --keep-alive 5 --monkey 3 key=val":  "./server --keep-alive 5 --monkey 3 key=val",
		"Authorization: ***":                          "Authorization: ***",
		"http://127.0.0.1:8080/tokens/4":              "http://127.0.0.1:8080/tokens/4",
		"GET /five?token=PW4&passwd=PW5":              "GET /five?token=***&passwd=***",
		"pwd=a&db_pass=b&compass=c&pass=d'e":          "pwd=***&db_pass=***&compass=c&pass=***",
		"a: b\r\nSet-Cookie: s=\"x\"; a='b';\r\nc: d": "a: b\r\nSet-Cookie: ***\r\nc: d",
		`{"password":"cut of`:                         `{"password":"***`,
		`{"tokens":["a","b"],"n":1}`:                  `{"tokens":***,"n":1}`,
		`{"secret":{"a":1},"n":1}`:                    `{"secret":***,"n":1}`,
	} {
		if got := Mask(text); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
	names := Missing([]string{"http://***@h/?token=***&b=2", "-H", "Cookie: ***", "TOKEN=x"})
	if fmt.Sprint(names) != "[user information of the URL token Cookie]" {
		t.Errorf("%q", names)
	}
}

func TestHide(t *testing.T) {
	Learn([]string{"compare", "--header", "Authorization: Bearer s3cr3t<x", "TOKEN=abc node a.js",
		"--password", "p4ssw0rd"})
	for text, want := range map[string]string{
		`{"a":"s3cr3t<x"}`:                   `{"a":"***"}`,
		"{\"a\":\"s3cr3t\\u003cx\"}":         `{"a":"***"}`,
		"<td>s3cr3t&lt;x</td>":               "<td>***</td>",
		"p4ssw0rd was wrong":                 "*** was wrong",
		`the server says Bearer abc, admin"`: `the server says Bearer abc, admin"`,
	} {
		if got := string(Hide([]byte(text))); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}

// A server may repeat a secret that is too short, or too plain a word, to be hidden everywhere.
func TestReceived(t *testing.T) {
	Learn([]string{"-H", "Authorization: Bearer swordfish", "X-Api-Key: abc12", "Cookie: id=w0rd; theme=darkness"})
	for text, want := range map[string]string{
		"no user has the credential swordfish":   "no user has the credential ***",
		"abc12 or w0rd":                          "*** or ***",
		"theme was darkness, Bearer realm=\"a\"": "theme was ***, Bearer realm=\"a\"",
		"password=x":                             "password=***",
		"no secret":                              "no secret",
	} {
		if got := Received(text); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
		if got := string(Hide([]byte(text))); got != text {
			t.Errorf("%s: hidden everywhere: %s", text, got)
		}
	}
}

// A complete header lacks nothing; one whose value was hidden does.
func TestMissingIsOfTheCommand(t *testing.T) {
	if got := Missing([]string{"-H", "Authorization: Bearer b3arer-value", "-H", "Cookie: a=b"}); got != nil {
		t.Errorf("%q are missing from a whole command", got)
	}
	if got := Missing([]string{"-H", "Authorization: ***"}); len(got) != 1 || got[0] != "Authorization" {
		t.Errorf("%q are missing", got)
	}
}
