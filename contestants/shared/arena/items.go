// Package items lets a Go contestant embed the records of the scenarios json-gzip and json-br, which lie outside of
// its module.
package items

import _ "embed"

//go:embed items.json
var JSON []byte
