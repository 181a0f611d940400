// Package dyno carries what the program shows of its manual, and tests what concerns the whole
// repository: layers, protocols, words. The program is in cmd/dyno, the design in doc/design.md.
package dyno

import _ "embed"

// Glossary is doc/glossary.md.
//
//go:embed doc/glossary.md
var Glossary string
