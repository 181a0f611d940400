package scenario

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestPagesAreComparedWithoutWhiteSpace(t *testing.T) {
	page := "<p class=a>\n  one  two</p>\n\n<p>/about</p>\n"
	s := &Scenario{Map: map[string]string{"/Home/About": "/about", "/Home": "/"}}
	l, err := (&Expect{Body: &page, Collapse: true}).compileLoose(s.Map)
	if err != nil {
		t.Fatal(err)
	}
	for body, same := range map[string]bool{
		page: true,
		"\ufeff<p class=a> one two</p>\ufeff<p>/Home/About</p>": true,
		"<p class=a>\r\n\tone two</p><p>/about</p>  ":           true,
		"<p class=a>one two</p><p>/about</p>":                   false, // the blank after a tag is significant
		"<p class=a> onetwo</p><p>/about</p>":                   false,
		"<p class=a> one two</p>\u00a0<p>/about</p>":            false, // not white space in HTML
		"<p class=a> one two</p><p>/About</p>":                  false,
		"":                                                      false,
	} {
		if text := l.breach([]byte(body)); (text == "") != same {
			t.Errorf("%q: %q; want it to be the same: %v", body, text, same)
		}
	}
}

func TestJSONIsComparedByValue(t *testing.T) {
	const want = `[{"Id":"a","Time":100,"Odd":null},{"Id":"b","Time":-2.5e1,"Odd":[true]}]`
	l, err := (&Expect{JSON: ptr(want)}).compileLoose(nil)
	if err != nil {
		t.Fatal(err)
	}
	for body, reason := range map[string]string{
		want: "",
		" [ {\"Odd\":null,\"Time\":1e2,\"Id\":\"\\u0061\"},\n{\"Id\":\"b\",\"Odd\":[true],\"Time\":-25.0}]\n": "",
		want[:len(want)-1] + ",]":                "not JSON: byte",
		want + "x":                               "not JSON",
		want + want:                              "not JSON",
		"":                                       "not JSON",
		"[]":                                     "JSON has 0 elements; want 2",
		"{}":                                     "JSON is {}; want [",
		strings.Replace(want, "Id", "id", 1):     `JSON[0] has no "Id"`,
		strings.Replace(want, "100", "100.5", 1): "JSON[0].Time is 100.5; want 100",
		strings.Replace(want, "100", `"100"`, 1): `JSON[0].Time is "100"; want 100`,
		strings.Replace(want, `"b"`, `"c"`, 1):   `JSON[1].Id is "c"; want "b"`,
		strings.Replace(want, `true`, `false`, 1):   "JSON[1].Odd[0] is false; want true",
		strings.Replace(want, `null`, `0`, 1):       "JSON[0].Odd is 0; want null",
		strings.Replace(want, `null`, `[]`, 1):      "JSON[0].Odd is []; want null",
		strings.Replace(want, `{`, `{"X":1,`, 1):    `JSON[0] has the unexpected member "X"`,
		strings.Replace(want, `"a"`, "\"\xff\"", 1): "not UTF-8",
	} {
		text := l.breach([]byte(body))
		if reason == "" && text != "" || !strings.Contains(text, reason) {
			t.Errorf("%s: %q; want %q", body, text, reason)
		}
	}
}

// TestAmbiguousJSON: ReadJSON refuses JSON that readers take differently, and nothing else in Unicode.
func TestAmbiguousJSON(t *testing.T) {
	for body, want := range map[string]string{
		`"\ud83d"`: `unpaired surrogate \ud83d`, `"\uDE00\ud83d"`: `surrogate \uDE00`, `{"\ud800":1}`: `\ud800`,
		`"\ud83d\ud83d\ude00"`: `\ud83d`, `"\ud83d\ude00\ude00"`: `\ude00`, `"\ud83d\\\ude00"`: `\ud83d`,
		`{"a":1,"a":1}`:                                          "repeats a name",
		`[{"b":[{"a:":1,"\u0061:":{}}]}]`:                        "repeats a name",
		`{"a":{"b":1},"c":2,"a":3}`:                              "repeats a name",
		`["\ud83d\ude00","\\ud83d","\ufffd","�","\ud7ff\ue000"]`: "",
		`{"a":{"a":":\":","":1},":":[{"a":1},{"a":1}],"A":{}}`:   "",
	} {
		_, err := ReadJSON([]byte(body))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", body, err, want)
		}
	}
}

func ptr(s string) *string { return &s }

func TestNumbersAreEqualByValue(t *testing.T) {
	for _, same := range [][]json.Number{
		{"0", "-0", "0.0", "0e5", "-0.00E-3"}, {"100", "1e2", "100.0", "0.1e3", "1000e-1"}, {"-1.5", "-15e-1", "-1.50"},
		{"9007199254740993", "9007199254740993.0"}, {"9007199254740992"}, {"1e400"}, {"1e999999999999"},
		{"2e999999999999"}, {"1.5"}, {"1e-2"}, {"0.1"},
	} {
		for _, a := range same {
			for _, b := range same {
				if !SameNumber(a, b) {
					t.Errorf("%s and %s differ", a, b)
				}
			}
			if a != "9007199254740992" && SameNumber(a, "9007199254740992") {
				t.Errorf("%s is 9007199254740992", a)
			}
		}
	}
}

// FuzzJSON: ReadJSON reads the same values as encoding/json, and the written values compare as equal.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`[{"Id":"a","Time":1e2}]`, `[1,]`, `{"a":1,"a":2}`, `-0.0e-1`, `"\ud800"`, "[[[]]]",
		"1 2", "\xff", " {\"a\" : [ 1 ,true,null , false ],\t\"\\u0041\":\"\\\"\\\\ü\"}\n", `{"a":1,"\u0061":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ReadJSON(b)
		if err != nil {
			return
		}
		if !json.Valid(b) {
			t.Fatalf("%q is taken for JSON", b)
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(b))
		if d.UseNumber(); d.Decode(&want) != nil || !reflect.DeepEqual(v, want) {
			t.Fatalf("%q is read as %v; want %v", b, v, want)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadJSON(text)
		if err != nil || differ("", again, v) != "" {
			t.Fatalf("%s, written %s: %v, %s", b, text, err, differ("", again, v))
		}
	})
}

// TestBreachHidesSecrets: quotations from a response mask secrets.
func TestBreachHidesSecrets(t *testing.T) {
	read := func(text string) any { v, _ := ReadJSON([]byte(text)); return v }
	for _, got := range []string{quote([]byte("a=1&token=PW4")), quote([]byte(`{"pwd":"PW4` + strings.Repeat("-", 60))),
		differ("", read(`{"tokens":["PW4"]}`), read(`{"tokens":["PW5"]}`)), differ("", read(`{"pass":"PW4"}`), read("1")),
		message("GET /five?passwd=PW5 HTTP/1.1\r\n\r\n").target()} {
		if strings.Contains(got, "PW") || !strings.Contains(got, "***") {
			t.Error(got)
		}
	}
}
