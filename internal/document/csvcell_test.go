package document

import "testing"

func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+1 (555)": "'+1 (555)", "-a": "'-a", "@x": "'@x", "-1.5": "-1.5", "+3e9": "+3e9",
		"a=b": "a=b", "": "", "\x1b[31m=1+1": "'=1+1", "a\tb": "a b",
	} {
		if got := CSVCell(in); got != want {
			t.Errorf("%q: %q; want %q", in, got, want)
		}
	}
}
