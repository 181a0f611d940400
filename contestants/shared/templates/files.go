// Package templates lets a Go contestant embed the static files, which lie outside of its module.
package templates

import "embed"

//go:embed wwwroot
var Files embed.FS
