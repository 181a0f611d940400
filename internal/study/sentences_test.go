package study

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestSentences(t *testing.T) {
	const head = "id,place,says,untestable,missing\n"
	read := func(text string) ([]Article, error) {
		return ReadSentences(fstest.MapFS{"s.csv": {Data: []byte(text)}}, "s.csv")
	}
	got, err := read(head + "F,someone,The article,,\nF-01,opening,It is fast,,\nF-02,end,Thanks,thanks,\n" +
		"M,other,Another,,\nM-01,top,\"It holds, too\",,no level\n")
	if err != nil || len(got) != 2 || len(got[0].Sentences) != 2 || got[0].Title != "The article" ||
		got[0].Source != "someone" || got[0].Sentences[1].Untestable != "thanks" ||
		got[1].Sentences[0] != (Sentence{"M-01", "top", "It holds, too", "", "no level"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"a,b,c,d,e\n":         "s.csv:1:1: want the head",
		head + "F-01,x,y,,\n": "s.csv:2:1: F-01 is not below its article",
		head + "F,s,t,,\nF-01,x,y,,\nF-01,x,y,,\n":   "s.csv:4:1: F-01 is listed twice",
		head + "F,s,t,,\nF1,x,y,,\n":                 `s.csv:3:1: "F1": want the id of a sentence`,
		head + "F,s,t,,\nM-01,x,y,,\n":               "s.csv:3:1: M-01 is not below its article, the row M",
		head + "F,s,t,,\nF-01,x,,,\n":                "s.csv:3:8: F-01 says nothing",
		head + "F,s,t,,\nF-01,x,y,why,what\n":        "s.csv:3:10: F-01 cannot be both",
		head + "F,s,t,,\nF-01,x,y,\n":                "s.csv:3:1: 4 fields; want 5",
		head + "F,s,t,,\nF-01,\"x,y,,\n":             "s.csv:3:",
		head + "F,s,t,,\nF-01,x,y,,\nF,again,t,,\n":  "s.csv:4:1: F is listed twice",
		head + "F,s,t,,\nF-01,x,y,,\nM-1,x,y,why,\n": "s.csv:4:1: \"M-1\"",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
