// Package scenario says what is sent and what must come back: request templates with seeded random inputs, and the contract of
// each answer, which Verify proves strictly before the load and Want.Match checks cheaply on every response of it.
package scenario

// Scenario is a set of requests, drawn by weight.
type Scenario struct {
	Name     string
	Title    string
	Requests []Request
}

// Request is a template and its contract. Path, header values and Body may hold {name} placeholders that With fills.
type Request struct {
	Name    string
	Method  string
	Path    string
	Headers map[string]string
	Body    string
	Weight  int // 0: verified, never loaded
	With    map[string]Input
	Expect  Expect
}

// Input is how a placeholder is drawn, anew for each request: uniformly from the integers of Int, both ends among them.
type Input struct {
	Int [2]int64
}

// Expect is the contract of the answer. A nil Body is not compared. Each header must be there with that value, or with that media
// type before its parameters.
type Expect struct {
	Status  int
	Body    *string
	Headers map[string]string
}
