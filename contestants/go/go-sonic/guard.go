package main

import "github.com/bytedance/sonic"

// This file does not compile where sonic would fall back to encoding/json: with a Go version newer than
// sonic supports, or on an unsupported processor.
var _ = [1]struct{}{}[sonic.APIKind-sonic.UseSonicJSON]
