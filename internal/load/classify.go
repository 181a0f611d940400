package load

import (
	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// Expect configures p for the answer to w, which comes next. It does not allocate, except for the
// first w that has a hash.
func Expect(p *http1.Parser, w *scenario.Want) {
	p.Expect(http1.Want{
		Body: w.Body, CheckBody: w.CheckBody, Hash: w.Hash(), Head: w.Head,
		StopAt: len(w.Headers) > 0 || w.Cookies,
	})
}

// Classify compares a complete response with its contract w, which Expect has passed to the parser.
// headers is the result of CheckHeaders. surplus means that bytes follow that belong to no
// response.
func Classify(p *http1.Parser, w *scenario.Want, headers, surplus bool) Kind {
	switch {
	case !w.Accepts(p.Status):
		return Status
	case !headers:
		return Header
	case surplus:
		return Length
	case w.Head:
		return OK
	case w.CheckBody:
		switch {
		case p.Matches():
			return OK
		case p.Length != int64(len(w.Body)):
			return Length
		}
		return Body
	case w.Length >= 0 && p.Length != w.Length:
		return Length
	case !w.SumMatches():
		return Body
	}
	return OK
}

// CheckHeaders reports whether every wanted header is among the field lines, with a value that
// matches.
func CheckHeaders(fields []byte, wanted []scenario.Header) bool {
	for i := range wanted {
		if !has(fields, &wanted[i]) {
			return false
		}
	}
	return true
}

func has(fields []byte, h *scenario.Header) bool {
	for {
		name, value, rest, ok := http1.NextField(fields)
		if !ok {
			return false
		}
		if http1.EqualFold(name, h.Name) && h.Match(value) {
			return true
		}
		fields = rest
	}
}
