module aero

go 1.24

require (
	dyno/harness v0.0.0
	github.com/aerogo/aero v1.3.59
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/aerogo/csp v0.1.10 // indirect
	github.com/aerogo/http v1.1.3 // indirect
	github.com/aerogo/session v0.1.9 // indirect
	github.com/aerogo/session-store-memory v0.1.9 // indirect
	github.com/akyoto/color v1.8.12 // indirect
	github.com/akyoto/colorable v0.1.7 // indirect
	github.com/akyoto/hash v0.5.0 // indirect
	github.com/akyoto/stringutils v0.3.1 // indirect
	github.com/akyoto/tty v0.1.4 // indirect
	github.com/akyoto/uuid v1.1.3 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/zeebo/xxh3 v1.0.1 // indirect
	golang.org/x/sys v0.0.0-20211117180635-dee7805ff2e1 // indirect
)
