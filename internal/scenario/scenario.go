// Package scenario says what is sent and what must come back: request templates with seeded random inputs, and the contract of
// each answer, which Verify proves strictly before the load and a Want holds for the cheap check of every response of it.
//
// The way to the wire is Scenario -> Compile -> Mix -> NewSource -> Next: what is fixed is rendered once per Mix, which all
// connections share; a Source is what one of them owns.
package scenario

// Scenario is a set of requests, drawn by weight.
type Scenario struct {
	Name     string
	Title    string
	Requests []Request

	Cookies   bool              // each connection keeps the cookies that it is given, and sends them
	Session   string            // name of the cookie that names a session; "": there are none
	Map       map[string]string // replaced in an answer's body, and in what it must be, before a page is compared (Expect.Collapse)
	Companion string            // the program that contestants call to answer; "": none
	Routes    []string          // files of the routes that a contestant must have, within the project
}

// Request is a template and its contract. Path, header values and Body may hold placeholders: {name}, which With fills, or inline ones,
// drawn anew at each place: {int:1..1000}, {uuid}, {seq}, {pick:a,b}. The expected body may repeat {name}. Any other braces are text.
type Request struct {
	Name    string
	Method  string
	Path    string
	Headers []HeaderLine // are sent in this order; Host goes before them, unless it is one of them
	Body    string
	Weight  int // 0: verified, never loaded
	With    map[string]Input

	Verbatim bool // Body holds no placeholders: it is sent byte for byte

	// Remembers is what the session holds after the request; it may repeat {name}. "": what it held before.
	Remembers string

	Expect Expect
}

// HeaderLine is a line of a request's head.
type HeaderLine struct {
	Name, Value string
	Verbatim    bool // Value holds no placeholders
}

// Input is how a named placeholder is drawn, once per request, to stand alike wherever it occurs in it. It is of one kind: Pick, UUID or
// Seq if one of them is set, else Int.
type Input struct {
	Int  [2]int64 // uniformly from these integers, both ends among them
	Pick []string // uniformly from these texts
	UUID bool     // a random UUID, version 4 (RFC 9562 5.4)

	// A number that no other request of the job gets: connection i of C counts i, i+C, i+2C ... It rises on each connection; between
	// connections its order is not that of time.
	Seq bool
}

// Expect is the contract of the answer: either Status or Statuses, and what else is set. Of the answer to HEAD no body is checked.
type Expect struct {
	Status   int       // 100 to 599; 0: one of Statuses
	Statuses StatusSet // any of them will do
	Body     *string   // nil: not compared
	Verbatim bool      // Body holds no placeholders
	Length   *int64    // bytes of the body, where Body is nil
	SHA256   string    // of the body, in hex, where Body is nil; "": not compared

	// Where one of these is set, bodies of other bytes may keep the contract too. So it is verified; to be loaded, it is first made exact
	// (Scenario.Exact).
	Collapse bool    // Body is a page: runs of white space count as one blank, none between tags
	JSON     *string // equal as JSON, where Body is nil
	JSONOf   string  // JSON becomes what the companion answers at this path (Scenario.Bind)

	Session bool // the answer to a request without the session's cookie must set it
	Recalls bool // the body is what the session holds, empty if it holds nothing; Body is nil then

	// Headers that must be there, with this value or with this media type before its parameters; "" takes any value. No placeholder
	// is filled in here.
	Headers map[string]string
}
