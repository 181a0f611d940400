package scenario

import (
	"strings"
	"testing"
)

// TestMisspelled: braces around an unknown name are an error in a path. Other braces are text.
func TestMisspelled(t *testing.T) {
	body := func(text string) *string { return &text }
	for name, c := range map[string]struct {
		path string
		r    AdHoc
		want string // part of the error; "": none
	}{
		"swapped":  {"/{itn:1..5}", AdHoc{}, "/{itn:1..5}: unknown placeholder {itn:1..5}; want {int:"},
		"a letter": {"/a?b={uid}", AdHoc{}, "{uid}; want {int:1..1000}, {uuid}, {seq} or {pick:a,b}; to send braces, write %7B and %7D"},
		"capitals": {"/{UUID}", AdHoc{}, "unknown placeholder {UUID}"},
		"unlike":   {"/{int:1..5}/{user}", AdHoc{}, "unknown placeholder {user}; want {int:1..1000}, {uuid}"},
		"--path":   {"/", AdHoc{Paths: []string{"/a", "/{sec}=2"}}, "/{sec}: unknown placeholder {sec}"},
		"known":    {"/{int:1..5}/{uuid}/{seq}/{pick:a,b}", AdHoc{}, ""},
		"encoded":  {"/%7Bitn:1..5%7D", AdHoc{}, ""},
		"no name":  {"/?b={x,y}&c={}&d={1}", AdHoc{}, ""},
		"verbatim": {"/", AdHoc{Headers: []string{"X: {uid}"}, Body: body("{itn}")}, ""},
		"code":     {"/", AdHoc{Template: true, Body: body(`{"query":"{user{name}}","n":{int:1..9}}`)}, ""},
	} {
		_, _, err := c.r.Make(t.Context(), c.path)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}
