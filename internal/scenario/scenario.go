// Package scenario describes requests to a server and the expected responses. A Scenario holds request
// templates with seeded random inputs, and a contract for each response. Verify checks the contract strictly
// before the load; a Want holds the checks for every response during the load.
//
// A request takes five steps to the wire: Scenario, Compile, Mix, Source, Draw. Compile renders the fixed
// parts once into a Mix, which all connections share. Each connection owns a Source. A Draw holds the values
// for one request and renders it for a protocol.
package scenario

// Scenario is a set of requests, drawn by weight. The struct tags name the keys in a scenario file.
type Scenario struct {
	Name     string    `toml:"name"`
	Title    string    `toml:"title"`
	Requests []Request `toml:"-"`

	Pipeline      int `toml:"pipeline"`                // requests in flight on each connection of HTTP/1.1; 0: 1, but verified with more
	PerConnection int `toml:"requests_per_connection"` // after which the client dials again; 0: no limit

	// Cookies makes each connection keep the cookies that it receives, and send them.
	Cookies bool `toml:"cookies"`
	// Session names the session cookie; "" if there are no sessions.
	Session string `toml:"session"`
	// Map holds texts that are replaced, in the response and in the expected body, before a page is compared
	// (Expect.Collapse).
	Map      map[string]string `toml:"map"`
	Services []Service         `toml:"service"` // programs that contestants call
	Change   *Change           `toml:"change"`  // of the database, after the loads; nil: none
	// Lenient marks a contract derived from responses of servers that are not written for dyno: Verify then
	// does not require a Date, HTTP/1.1, keep-alive or framing by length.
	Lenient bool `toml:"-"`
	// SentAsJSON says that a body on the command line is JSON, and has the Content-Type of JSON for that reason.
	SentAsJSON bool `toml:"-"`
	// Routes lists the route files, within the project, that a contestant must register.
	Routes []string `toml:"-"`
}

// Request is a request template and the contract for the response. Path, header values and Body may hold
// placeholders: {name}, defined in With, or inline placeholders, drawn anew in each place: {int:1..1000},
// {uuid}, {seq}, {pick:a,b}. The expected body may repeat {name}. All other braces are plain text.
type Request struct {
	Name    string           `toml:"name"`
	Method  string           `toml:"method"`
	Path    string           `toml:"path"`
	Headers []HeaderLine     `toml:"-"` // header lines in the order sent; Host comes first unless listed here
	Body    string           `toml:"body"`
	Weight  int              `toml:"-"` // 0: verified, never loaded
	With    map[string]Input `toml:"-"`

	Verbatim bool `toml:"-"` // Body holds no placeholders

	// Remembers is the session's content after the request; it may repeat {name}. If it is "", the content
	// does not change.
	Remembers string `toml:"remembers"`

	Expect Expect `toml:"-"`
}

// HeaderLine is one header field in a request.
type HeaderLine struct {
	Name, Value string
	Verbatim    bool // Value holds no placeholders
}

// Input says how to draw the value for a named placeholder. The value is drawn once per request and repeated
// wherever the name occurs. The kind is Pick, UUID or Seq if one is set, else Int.
type Input struct {
	Int  [2]int64 // uniform over these integers, both ends included
	Pick []string // uniform over these texts
	UUID bool     // a random UUID, version 4 (RFC 9562, section 5.4)

	// Seq is a number that no other request in the job gets: connection i of C counts i, i+C, i+2C and so on.
	// It rises on each connection; between connections it does not follow time.
	Seq bool
}

// Expect is the contract for a response: either Status or Statuses, and every other field that is set. The
// body is not checked in a response to HEAD.
type Expect struct {
	Status   int       `toml:"status"` // 100 to 599; 0: one of Statuses
	Statuses StatusSet `toml:"-"`      // any of them
	Body     *string   `toml:"body"`   // nil: not compared
	Verbatim bool      `toml:"-"`      // Body holds no placeholders

	// Shape describes the common properties of varying bodies; nil: not compared. A load that takes samples
	// compares every body with it; Verify does not.
	Shape *Shape `toml:"-" json:"-"`

	// If Collapse, JSON or JSONOf is set, several bodies satisfy the contract. Verify accepts such a
	// contract; a load needs an exact one (Scenario.Exact).

	// Collapse compares Body as a page: a run of white space counts as one blank, and between tags it is
	// ignored.
	Collapse bool    `toml:"collapse"`
	JSON     *string `toml:"json"`    // equal as JSON, if Body is nil
	JSONOf   string  `toml:"json_of"` // path of the source whose response becomes JSON (Scenario.Bind)

	// Rows is the contract for a body of rows; nil: not compared.
	Rows *Rows `toml:"rows"`

	// SQL is what a database must have executed for the answer; nil: not compared.
	SQL *SQL `toml:"sql"`

	// SHA256 says that Body is the SHA-256 of the request's body, in lower-case hexadecimal digits.
	SHA256 bool `toml:"sha256"`

	// Session requires a session cookie in the response to a request without one.
	Session bool `toml:"session"`
	// Recalls requires the session's content, perhaps empty, as the body. Body is then nil.
	Recalls bool `toml:"recalls"`

	// Headers must be present with this value, or with this media type followed by parameters. An empty value
	// accepts any. Placeholders are not filled in here.
	Headers map[string]string `toml:"headers"`
}
