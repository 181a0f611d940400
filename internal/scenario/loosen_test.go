package scenario

import "testing"

// TestLoosen: values may become empty or not, but names and types stay.
func TestLoosen(t *testing.T) {
	s := NewShape([][]byte{[]byte(`{"id":4,"n":0,"at":null,"rows":[],"text":"abcdef","by":{}}`)}, true)
	s.Loosen()
	for body, fits := range map[string]bool{
		`{"id":0,"n":12,"at":"now","rows":[{"id":1}],"text":"","by":{"a":1}}`: true,
		`{"id":4,"n":0,"at":null,"rows":[],"text":"abcdef","by":{}}`:          true,
		`{"id":4,"n":0,"at":null,"rows":[],"text":"abcdef"}`:                  false,
		`{"id":4,"n":null,"at":null,"rows":[],"text":"abcdef","by":{}}`:       false,
		`{"id":4,"n":0,"at":null,"rows":{},"text":"abcdef","by":{}}`:          false,
		`{"error":"busy","and":"no more than this is known now of it"}`:       false,
		"null": false, "": false,
	} {
		if why := s.Breach([]byte(body), 2); (why == "") != fits {
			t.Errorf("%s: %q", body, why)
		}
	}
}

// TestAllowRare: a number may be zero, and a list empty, at any depth; nothing else changes.
func TestAllowRare(t *testing.T) {
	s := NewShape([][]byte{[]byte(`{"rows":[{"id":4,"zero":0}],"text":"abcdefgh"}`)}, true)
	s.AllowRare()
	for body, fits := range map[string]bool{
		`{"rows":[{"id":0,"zero":0},{"id":1,"zero":0}],"text":"a"}`: true,
		`{"rows":[],"text":"abcdefgh"}`:                             true,
		`{"rows":[{"id":4,"zero":1}],"text":"abcdefgh"}`:            false,
		`{"rows":[{"id":null,"zero":0}],"text":"abcdefgh"}`:         false,
		`{"rows":[{"id":4,"zero":0}],"text":""}`:                    false,
	} {
		if why := s.Breach([]byte(body), 2); (why == "") != fits {
			t.Errorf("%s: %q", body, why)
		}
	}
}

// TestCheckedOfHEAD: a response to HEAD has no body to check.
func TestCheckedOfHEAD(t *testing.T) {
	body := ""
	head := Request{Method: "HEAD", Weight: 1, Expect: Expect{Status: 200}}
	s := &Scenario{Requests: []Request{head}}
	if got := s.Checked(); got != "status alone" {
		t.Error(got)
	}
	s.Requests = append(s.Requests, Request{Method: "GET", Weight: 1, Expect: Expect{Status: 200, Body: &body}})
	if got, want := s.Checked(), "status of every answer, the body of 1 of 2 requests"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
