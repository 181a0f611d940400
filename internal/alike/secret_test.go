package alike

import (
	"strings"
	"testing"

	"dyno/internal/wire"
)

// TestDifferencesHideSecrets: by the place in which they are found, whatever their length.
func TestDifferencesHideSecrets(t *testing.T) {
	answer := func(value string) *wire.Response {
		return &wire.Response{Status: 302, Body: []byte(value),
			Fields: []wire.Field{{Name: "Location", Value: "/in?token=" + value[len(value)-3:]}}}
	}
	for _, bodies := range [][2]string{
		{`{"token":"PW4"}`, `{"token":"PW5"}`}, {`{"keys":{"a_key":"a PW4"}}`, `{"keys":{"a_key":"a PW5"}}`},
		{`{"a":1}`, `[{"passwd":"PW5"}]`}, {`{"a":1}`, `passwd=PW5`},
	} {
		all := differences(answer(bodies[0]), answer(bodies[1]))
		if len(all) == 0 {
			t.Errorf("%q: %v", bodies, all)
		}
		for _, d := range all {
			if strings.Contains(d.a+d.b, "PW") {
				t.Errorf("%q: %s: %s, %s", bodies, d.what, d.a, d.b)
			}
		}
	}
}
