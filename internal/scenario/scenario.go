// Package scenario describes what is sent to a server and what must come back. A Scenario holds
// request templates with seeded random inputs, and a contract for each response. Verify checks the
// contract strictly before the load; a Want holds what the load engine checks of every response.
//
// A request reaches the wire in five steps: Scenario, Compile, Mix, Source, Draw. Compile renders the
// fixed parts once into a Mix, which all connections share. Each connection owns a Source. A Draw
// holds the values of one request and renders it for a protocol.
package scenario

// Scenario is a set of requests, drawn by weight. The struct tags name the keys of its file.
type Scenario struct {
	Name     string    `toml:"name"`
	Title    string    `toml:"title"`
	Requests []Request `toml:"-"`

	// Cookies makes each connection keep the cookies that it receives, and send them.
	Cookies bool `toml:"cookies"`
	// Session is the name of the session cookie; "" if there are no sessions.
	Session string `toml:"session"`
	// Map holds texts that are replaced, in the response and in the expected body, before a page
	// is compared (Expect.Collapse).
	Map map[string]string `toml:"map"`
	// Backend names the backend that contestants call; "" if there is none.
	Backend string `toml:"backend"`
	// Lenient says that the contract was made of the answers of servers that are not written for
	// dyno: Verify asks for no Date, no framing and no open connection beyond it.
	Lenient bool `toml:"-"`
	// Routes lists files of routes, within the project, that a contestant must register.
	Routes []string `toml:"-"`
}

// Request is a request template and the contract of its response. Path, header values and Body may
// hold placeholders: {name}, which With defines, or inline ones, drawn anew at each place:
// {int:1..1000}, {uuid}, {seq}, {pick:a,b}. The expected body may repeat {name}. All other braces
// are plain text.
type Request struct {
	Name    string           `toml:"name"`
	Method  string           `toml:"method"`
	Path    string           `toml:"path"`
	Headers []HeaderLine     `toml:"-"` // in the order sent; Host comes first unless listed here
	Body    string           `toml:"body"`
	Weight  int              `toml:"-"` // 0: verified, never loaded
	With    map[string]Input `toml:"-"`

	Verbatim bool `toml:"-"` // Body holds no placeholders

	// Remembers is what the session holds after the request; it may repeat {name}. If it is "",
	// the session keeps what it held.
	Remembers string `toml:"remembers"`

	Expect Expect `toml:"-"`
}

// HeaderLine is one header field of a request.
type HeaderLine struct {
	Name, Value string
	Verbatim    bool // Value holds no placeholders
}

// Input says how to draw the value of a named placeholder. The value is drawn once per request and
// repeated wherever the name occurs in it. The kind is Pick, UUID or Seq if one is set, else Int.
type Input struct {
	Int  [2]int64 // uniform over these integers, both ends included
	Pick []string // uniform over these texts
	UUID bool     // a random UUID, version 4 (RFC 9562, section 5.4)

	// Seq is a number that no other request of the job gets: connection i of C counts i, i+C,
	// i+2C and so on. It rises on each connection; between connections it does not follow time.
	Seq bool
}

// Expect is the contract of a response: either Status or Statuses, and every other field that is
// set. The body of a response to HEAD is not checked.
type Expect struct {
	Status   int       `toml:"status"` // 100 to 599; 0: one of Statuses
	Statuses StatusSet `toml:"-"`      // any of them
	Body     *string   `toml:"body"`   // nil: not compared
	Verbatim bool      `toml:"-"`      // Body holds no placeholders
	Length   *int64    `toml:"length"` // of the body in bytes, if Body is nil
	SHA256   string    `toml:"sha256"` // of the body in hex, if Body is nil; "": not compared

	// Shape is what bodies that vary have in common; nil: not compared. A load that takes samples
	// compares every body with it, and no Verify does.
	Shape *Shape `toml:"-" json:"-"`

	// If Collapse, JSON or JSONOf is set, several bodies keep the contract. Such a contract can be
	// verified. Before the load it must be made exact (Scenario.Exact).

	// Collapse compares Body as a page: a run of white space counts as one blank, and as nothing
	// between tags.
	Collapse bool    `toml:"collapse"`
	JSON     *string `toml:"json"`    // equal as JSON, if Body is nil
	JSONOf   string  `toml:"json_of"` // path at the backend whose answer becomes JSON (Scenario.Bind)

	// Session requires a session cookie in the response to a request that carries none.
	Session bool `toml:"session"`
	// Recalls requires the body to be what the session holds, empty if that is nothing. Body is
	// then nil.
	Recalls bool `toml:"recalls"`

	// Headers must be present with this value, or with this media type before its parameters. An
	// empty value accepts any. Placeholders are not filled in here.
	Headers map[string]string `toml:"headers"`
}
