package main

import "github.com/bytedance/sonic"

// Does not compile where sonic would fall back to encoding/json: a Go newer than it knows, or
// another processor.
var _ = [1]struct{}{}[sonic.APIKind-sonic.UseSonicJSON]
