// Package dyno carries the manuals that the program shows, and tests what concerns the whole
// repository: layers, words, links. The program is in cmd/dyno, the design in doc/design.md.
package dyno

import "embed"

// Manuals are the pages in doc, by name: doc/compare.md and others.
//
//go:embed doc/*.md
var Manuals embed.FS
